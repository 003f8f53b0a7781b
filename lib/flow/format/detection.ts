// The kinds of text that a check of `guardrails` finds by name. How they are found is in `expression/detect.ts`.

export const detections = ['email', 'payment_card', 'iban', 'aws_access_key_id', 'private_key'] as const;
export type Detection = (typeof detections)[number];
