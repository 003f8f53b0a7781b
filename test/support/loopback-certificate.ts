// A certificate for servers of tests on loopback. The key is for tests alone and signs nothing that anyone trusts.

export const loopbackKey = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEILEy8m9pmEGzC4ZsklbRt2hHYahXJA681Rj8pborKGs/oAoGCCqGSM49
AwEHoUQDQgAElFHbDuHlKLyCC+w4cC5h5aOuLbnw3Hbx9l57C2PRTycbCYRMQzc4
HIRzE3HzluuQAdzQGK+RwwP3mWcs96lSKw==
-----END EC PRIVATE KEY-----`;

/** Self-signed, for 127.0.0.1, for a hundred years. */
export const loopbackCertificate = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUQ6SiKBwT+gQL/kcluCDCZp+zfuUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTAzMDY0MFoYDzIxMjYxMDI4
MDMwNjQwWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASUUdsO4eUovIIL7DhwLmHlo64tufDcdvH2XnsLY9FPJxsJhExDNzgc
hHMTcfOW65AB3NAYr5HDA/eZZyz3qVIro2QwYjAdBgNVHQ4EFgQU+YRgoU6bkGdN
3+ZT16mPrFtEQZcwHwYDVR0jBBgwFoAU+YRgoU6bkGdN3+ZT16mPrFtEQZcwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQDtnfzu1cYkYVfZjGPQJD68Ru4ykbNnx8y1A4PbIPw77QIgDiVui5k20vNJsA2Z
DQlUehg+Y+AGi58MpLX4JO5EIZc=
-----END CERTIFICATE-----`;
