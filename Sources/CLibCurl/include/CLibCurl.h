// Calls of the functions of libcurl that take a variable number of arguments. Swift cannot make such calls, and on some
// processors a call with a fixed number would pass the arguments in other places. libcurl is loaded when it is needed:
// the first argument is the address of curl_easy_setopt or curl_easy_getinfo. Its headers are not needed.
//
// Source: curl/curl.h and curl/multi.h of libcurl 7, whose ABI has not changed since 7.16.0.
#pragma once
#include <stddef.h>

// The type of the functions that libcurl gives the lines of a head, and the pieces of a body.
typedef size_t (*CurlReceiver)(char *bytes, size_t size, size_t count, void *context);

// The type of the function that libcurl calls before it sends a request. It is not sent if the result is not 0.
typedef int (*CurlStarter)(void *context, char *address, char *localAddress, int port, int localPort);

int curlSetNumber(void *setopt, void *easy, int option, long value);
int curlSetPointer(void *setopt, void *easy, int option, const void *value);
int curlSetReceiver(void *setopt, void *easy, int option, CurlReceiver value);
int curlSetStarter(void *setopt, void *easy, int option, CurlStarter value);
int curlGetNumber(void *getinfo, void *easy, int info, long *value);

// CURLMsg: the end of a transfer.
typedef struct {
  int kind;
  void *easy;
  union {
    void *unused;
    int code;
  } result;
} CurlMessage;
