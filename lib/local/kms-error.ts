// Errors of the local KMS as the real one names them.
export type KmsErrorCode =
  | 'NotFoundException'
  | 'DisabledException'
  | 'InvalidCiphertextException'
  | 'IncorrectKeyException'
  | 'InvalidKeyUsageException'
  | 'KMSInvalidSignatureException'
  | 'ValidationException'
  | 'UnsupportedOperationException';

export class KmsError extends Error {
  readonly code: KmsErrorCode;
  constructor(code: KmsErrorCode, message: string) {
    super(message);
    this.name = 'KmsError';
    this.code = code;
  }
}
