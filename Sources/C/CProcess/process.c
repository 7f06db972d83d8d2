#define _GNU_SOURCE
#include "CProcess.h"
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <wchar.h>

static int count;
static char **arguments;

// glibc passes the arguments to each constructor.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv, char **environment)
{
    (void)environment;
    count = argc;
    arguments = argv;
}

int scenebus_argument_count(void) { return count; }

const char *scenebus_argument(int index) { return index < count ? arguments[index] : NULL; }

bool scenebus_is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void scenebus_buffer_lines(void) { setvbuf(stdout, NULL, _IOLBF, BUFSIZ); }

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8;

// The process's own locale may not know the characters. C.UTF-8 is part of glibc.
static void make_locale(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int scenebus_columns(uint32_t character)
{
    pthread_once(&once, make_locale);
    if (!utf8) return 1;
    locale_t before = uselocale(utf8);
    int columns = wcwidth((wchar_t)character);
    uselocale(before);
    return columns < 0 ? 1 : columns;
}
