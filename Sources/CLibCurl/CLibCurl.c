#include "CLibCurl.h"

typedef int (*Variadic)(void *easy, int number, ...);

int curlSetNumber(void *setopt, void *easy, int option, long value) {
  return ((Variadic)setopt)(easy, option, value);
}

int curlSetPointer(void *setopt, void *easy, int option, const void *value) {
  return ((Variadic)setopt)(easy, option, value);
}

int curlSetReceiver(void *setopt, void *easy, int option, CurlReceiver value) {
  return ((Variadic)setopt)(easy, option, value);
}

int curlSetStarter(void *setopt, void *easy, int option, CurlStarter value) {
  return ((Variadic)setopt)(easy, option, value);
}

int curlGetNumber(void *getinfo, void *easy, int info, long *value) {
  return ((Variadic)getinfo)(easy, info, value);
}
