/* A small table-driven reader of command lines. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ends_in(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

/* ---- parsing ------------------------------------------------------------------------------- */

const char *typed_name(const help_page *page, char text[64]) {
  snprintf(text, 64, "%s%s%s", program_name, page->command ? " " : "", page->command ? page->command : "");
  return text;
}

int wrong_usage(const help_page *page) {
  char name[64];
  typed_name(page, name);
  fprintf(stderr, "usage: %s %s\n('%s --help' explains)\n", name, page->synopsis, name);
  return CMD_USAGE;
}

/* The option named by `argument`: "--name", "--name=value" or "-n", "-nvalue"; the value in it goes to *value, or
 * NULL. */
static const option *find_option(const option *table, int n, const char *argument, const char **value) {
  *value = NULL;
  if (argument[1] != '-') {
    for (int i = 0; i < n; i++) {
      if (table[i].letter && table[i].letter == argument[1]) {
        if (argument[2]) *value = argument + 2 + (argument[2] == '=');
        return &table[i];
      }
    }
    return NULL;
  }
  const char *name = argument + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  for (int i = 0; i < n; i++) {
    if (table[i].kind == OPTION_OPERANDS) continue;
    if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
      if (equals) *value = equals + 1;
      return &table[i];
    }
  }
  return NULL;
}

static void complain_unknown(const option *table, int n, const char *argument) {
  const char *names[64];
  int count = 0;
  for (int i = 0; i < n && count < 63; i++)
    if (table[i].kind != OPTION_OPERANDS) names[count++] = table[i].name;
  names[count++] = "help";
  char word[64];
  snprintf(word, sizeof word, "%s", argument + strspn(argument, "-"));
  word[strcspn(word, "=")] = 0;
  const char *closest = cdni_closest_word(word, names, count);
  int length = (int)strcspn(argument, "=");
  if (closest) complain("unknown option %.*s; did you mean --%s?", length, argument, closest);
  else complain("unknown option %.*s", length, argument);
}

/* Where operands behind the first go; NULL: there must not be any. */
static const option *find_operands(const option *table, int n) {
  for (int i = 0; i < n; i++)
    if (table[i].kind == OPTION_OPERANDS) return &table[i];
  return NULL;
}

static bool is_number(const char *text) {
  char *end;
  (void)!isnan(strtod(text, &end));
  return end != text && !*end;
}

static bool store(const option *o, const char *value) {
  if (o->kind == OPTION_TEXT || o->kind == OPTION_LIST || o->kind == OPTION_OPERANDS) {
    if (o->kind != OPTION_OPERANDS && !value[0]) {
      complain("--%s needs a value that is not empty: --%s %s", o->name, o->name, o->value);
      return false;
    }
    if (o->kind == OPTION_TEXT) {
      *(const char **)o->target = value;
      return true;
    }
    text_list *list = o->target;
    if (list->n == LIST_MOST) {
      complain("%s%s is given more than %d times", o->kind == OPTION_OPERANDS ? "" : "--", o->name, LIST_MOST);
      return false;
    }
    list->item[list->n++] = value;
    return true;
  }
  char *end;
  double x = strtod(value, &end);
  if (end == value || *end) {
    complain("--%s %s: '%s' is not a number", o->name, o->value, value);
    return false;
  }
  if (o->kind == OPTION_HEIGHT) {
    if (!isfinite(x)) complain("--%s %s: %s is not a finite number", o->name, o->value, value);
    *(plane *)o->target = (plane){ true, true, x };
    return isfinite(x);
  }
  if (!isfinite(x) || x <= 0) {
    complain("--%s %s: %s is not a finite number above zero", o->name, o->value, value);
    return false;
  }
  *(double *)o->target = x;
  return true;
}

int options_parse(const help_page *page, const option *table, int n, int argc, char **argv, const char **operand) {
  *operand = NULL;
  bool options_ended = false;
  for (int i = 0; i < argc; i++) {
    const char *argument = argv[i];
    if (!options_ended && strcmp(argument, "--") == 0) {
      options_ended = true;
      continue;
    }
    if (options_ended || argument[0] != '-' || !argument[1]) {
      const option *more = *operand ? find_operands(table, n) : NULL;
      if (more) {
        if (!store(more, argument)) return wrong_usage(page);
        continue;
      }
      if (*operand) {
        complain("unexpected argument '%s': '%s' is named already, one file at a time", argument, *operand);
        return wrong_usage(page);
      }
      *operand = argument;
      continue;
    }
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
      print_help_page(page, table, n);
      return CMD_OK;
    }
    const char *value;
    const option *o = find_option(table, n, argument, &value);
    if (!o) {
      complain_unknown(table, n, argument);
      return wrong_usage(page);
    }
    if (o->kind == OPTION_FLAG) {
      if (value) {
        complain("--%s takes no value", o->name);
        return wrong_usage(page);
      }
      *(bool *)o->target = true;
      continue;
    }
    if (!value) {
      if (o->kind == OPTION_HEIGHT && (i + 1 >= argc || !is_number(argv[i + 1]))) {
        ((plane *)o->target)->there = true; // its value may be left out, and what follows is none
        continue;
      }
      // the next argument, unless it is plainly another option ("-" and negative numbers are values)
      bool another = i + 1 < argc && strncmp(argv[i + 1], "--", 2) == 0;
      if (i + 1 >= argc || another) {
        complain("--%s needs a value: --%s %s (%s)", o->name, o->name, o->value, o->help);
        return wrong_usage(page);
      }
      value = argv[++i];
    }
    if (!store(o, value)) return wrong_usage(page);
  }
  if (!*operand && page->operand) {
    complain("%s", page->operand);
    return wrong_usage(page);
  }
  return OPTIONS_GO;
}
