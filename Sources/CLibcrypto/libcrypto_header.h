// SHA256_Init and its like are deprecated since OpenSSL 3, and there in OpenSSL 4 too. They need no memory of their own.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
