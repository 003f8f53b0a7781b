// The errors of the local KMS, with the names that KMS uses.
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
