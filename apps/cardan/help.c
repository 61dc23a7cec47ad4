/* Help, made of the pages of commands and of their tables of options: as text, as pages of the manual, and as scripts
 * by which shells complete what is typed. */
#include <string.h>

#include "command.h"

static help_form form = HELP_TEXT;
static const char *about; /* of the command whose page is printed */

static bool is_option(const option *o) { return o->kind != OPTION_OPERANDS; }
static bool has_value(const option *o) { return o->kind != OPTION_FLAG && o->kind != OPTION_HEIGHT; }

/* ---- text ---------------------------------------------------------------------------------- */

static void print_text(const help_page *page, const option *table, int n) {
  char name[64];
  printf("usage: %s %s\n\n%s\noptions\n", typed_name(page, name), page->synopsis, page->text);
  for (int i = 0; i < n; i++) {
    if (!is_option(&table[i])) continue;
    char left[64];
    char letter[8] = "";
    if (table[i].letter) snprintf(letter, sizeof letter, "-%c, ", table[i].letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, table[i].name, table[i].value ? " " : "",
             table[i].value ? table[i].value : "");
    printf("  %-22s %s\n", left, table[i].help);
  }
  printf("  %-22s %s\n\nexamples\n%s", "-h, --help", "this page", page->examples);
}

/* ---- the manual ---------------------------------------------------------------------------- */

/* Text as troff shows it: no line begins a request, no hyphen becomes a dash. */
static void print_roff(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", stdout);
    if (text[i] == '\\') fputs("\\e", stdout);
    else if (text[i] == '-') fputs("\\-", stdout);
    else putchar(text[i]);
  }
}
static void print_roff_text(const char *text) { print_roff(text, strlen(text)); }

/* A list of commands or codes, or examples, whose lines are as they are. */
static void print_roff_lines(const char *text) {
  fputs(".nf\n", stdout);
  print_roff_text(text);
  fputs(".fi\n", stdout);
}

static void begin_manual(const char *title, const char *name, const char *description) {
  const uint32_t v = cdn_version();
  printf(".TH %s 1 \"\" \"cardan %u.%u.%u\" \"Cardan\"\n.SH NAME\n", title, (unsigned)(v / 1000000),
         (unsigned)(v / 1000 % 1000), (unsigned)(v % 1000));
  print_roff_text(name);
  fputs(" \\- ", stdout);
  print_roff_text(description);
  putchar('\n');
}

static void print_manual(const help_page *page, const option *table, int n) {
  char typed[64], name[64];
  typed_name(page, typed);
  snprintf(name, sizeof name, "%s", typed);
  for (char *c = name; *c; c++)
    if (*c == ' ') *c = '-';
  begin_manual(name, name, about);
  printf(".SH SYNOPSIS\n.B %s\n", typed);
  print_roff_text(page->synopsis);
  fputs("\n.SH DESCRIPTION\n", stdout);
  for (const char *line = page->text; *line;) {
    const size_t length = strcspn(line, "\n");
    if (length == 0) fputs(".PP", stdout);
    print_roff(line, length);
    putchar('\n');
    line += length + (line[length] == '\n');
  }
  fputs(".SH OPTIONS\n", stdout);
  for (int i = 0; i < n; i++) {
    if (!is_option(&table[i])) continue;
    fputs(".TP\n.B ", stdout);
    if (table[i].letter) printf("\\-%c, ", table[i].letter);
    fputs("\\-\\-", stdout);
    print_roff_text(table[i].name);
    if (table[i].value) printf(" \\fI%s\\fR", table[i].value);
    putchar('\n');
    print_roff_text(table[i].help);
    putchar('\n');
  }
  fputs(".TP\n.B \\-h, \\-\\-help\nthis page\n.SH EXAMPLES\n", stdout);
  print_roff_lines(page->examples);
  fputs(".SH SEE ALSO\n.BR cardan (1)\n", stdout);
}

void print_main_manual(const command_entry *commands, int n, const char *what, const char *rest) {
  begin_manual("cardan", "cardan", what);
  fputs(".SH SYNOPSIS\n.B cardan\n\\fICOMMAND FILE\\fR [options]\n.SH COMMANDS\n", stdout);
  for (int i = 0; i < n; i++) {
    printf(".TP\n.BR cardan\\-%s (1)\n", commands[i].name);
    print_roff_text(commands[i].about);
    putchar('\n');
  }
  fputs(".SH NOTES\n", stdout);
  print_roff_lines(rest);
}

/* ---- shells -------------------------------------------------------------------------------- */

/* In single quotes; what zsh's _arguments reads as its own is escaped. */
static void print_quoted(const char *text, bool for_arguments) {
  for (; *text; text++) {
    if (*text == '\'') fputs(form == HELP_FISH ? "\\'" : "'\\''", stdout);
    else if (*text == '\\' && form == HELP_FISH) fputs("\\\\", stdout);
    else if (for_arguments && strchr("[]:\\", *text)) printf("\\%c", *text);
    else putchar(*text);
  }
}

static void print_for_bash(const help_page *page, const option *table, int n) {
  if (page->command) printf("    %s) options='", page->command);
  else printf("# bash completion of %s\ncomplete -o default -W '", program_name);
  for (int i = 0; i < n; i++)
    if (is_option(&table[i])) printf("--%s ", table[i].name);
  if (page->command) fputs("--help' ;;\n", stdout);
  else printf("--help' %s\n", program_name);
}

static void print_for_zsh(const help_page *page, const option *table, int n) {
  if (page->command) printf("    %s) options=(", page->command);
  else printf("#compdef %s\nlocal -a options\noptions=(", program_name);
  for (int i = 0; i < n; i++) {
    if (!is_option(&table[i])) continue;
    printf("\n      '%s--%s%s[", table[i].kind == OPTION_LIST ? "*" : "", table[i].name,
           has_value(&table[i]) ? "=" : "");
    print_quoted(table[i].help, true);
    putchar(']');
    if (has_value(&table[i])) {
      putchar(':');
      print_quoted(table[i].value, true);
      fputs(":_files", stdout);
    }
    putchar('\'');
  }
  if (page->command) fputs(") ;;\n", stdout);
  else fputs(")\n_arguments -s $options '(-h --help)--help[this page]' '*:file:_files'\n", stdout);
}

static void print_for_fish(const help_page *page, const option *table, int n) {
  for (int i = 0; i < n; i++) {
    if (!is_option(&table[i])) continue;
    printf("complete -c %s", program_name);
    if (page->command) printf(" -n '__fish_seen_subcommand_from %s'", page->command);
    printf(" -l %s", table[i].name);
    if (table[i].letter) printf(" -s %c", table[i].letter);
    printf("%s -d '", has_value(&table[i]) ? " -r" : "");
    print_quoted(table[i].help, false);
    fputs("'\n", stdout);
  }
}

/* The commands' own parts are what their --help prints now. */
static void print_parts(const command_entry *commands, int n) {
  char *help[] = { "--help" };
  for (int i = 0; i < n; i++) (void)commands[i].run(1, help);
}

static void print_bash(const command_entry *commands, int n) {
  fputs("# bash completion of cardan\n_cardan() {\n  local current=${COMP_WORDS[COMP_CWORD]} options=\n"
        "  if ((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W '",
        stdout);
  for (int i = 0; i < n; i++) printf("%s ", commands[i].name);
  fputs("help completion --help --version' -- \"$current\")\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", stdout);
  print_parts(commands, n);
  fputs("    completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$current\"); return ;;\n  esac\n"
        "  if [[ $current == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
        "  else mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n  fi\n}\n"
        "complete -o filenames -F _cardan cardan\n",
        stdout);
}

static void print_zsh(const command_entry *commands, int n) {
  fputs("#compdef cardan\n_cardan() {\n  local -a commands options\n  commands=(", stdout);
  for (int i = 0; i < n; i++) {
    printf("\n    '%s:", commands[i].name);
    print_quoted(commands[i].about, false);
    putchar('\'');
  }
  fputs("\n    'help:help of a command'\n    'completion:a script by which a shell completes')\n"
        "  if ((CURRENT == 2)); then _describe command commands; return; fi\n  case $words[2] in\n",
        stdout);
  print_parts(commands, n);
  fputs("    completion) _values shell bash zsh fish; return ;;\n  esac\n"
        "  _arguments -s '1:command:' $options '(-h --help)--help[this page]' '*:file:_files'\n}\n_cardan \"$@\"\n",
        stdout);
}

static void print_fish(const command_entry *commands, int n) {
  for (int i = 0; i < n; i++) {
    printf("complete -c cardan -n __fish_use_subcommand -a %s -d '", commands[i].name);
    print_quoted(commands[i].about, false);
    fputs("'\n", stdout);
  }
  fputs("complete -c cardan -n __fish_use_subcommand -a help -d 'help of a command'\n"
        "complete -c cardan -n __fish_use_subcommand -a completion -d 'a script by which a shell completes'\n"
        "complete -c cardan -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n",
        stdout);
  print_parts(commands, n);
}

static const struct {
  const char *name;
  help_form form;
  void (*print)(const command_entry *commands, int n);
} shells[] = {
  { "bash", HELP_BASH, print_bash },
  { "zsh", HELP_ZSH, print_zsh },
  { "fish", HELP_FISH, print_fish },
};

/* Its place in the table; -1 after it has been said that there is none. */
static int find_shell(const char *shell) {
  const int n = (int)(sizeof shells / sizeof shells[0]);
  for (int i = 0; shell && i < n; i++)
    if (strcmp(shell, shells[i].name) == 0) return i;
  if (shell) complain("completion: there is a script for bash, zsh and fish, and none for '%s'", shell);
  else complain("for which shell? Name bash, zsh or fish: %s completion bash", program_name);
  return -1;
}

bool choose_completion(const char *shell) {
  const int i = find_shell(shell);
  if (i >= 0) form = shells[i].form;
  return i >= 0;
}

int print_completion(const char *shell, const command_entry *commands, int n) {
  if (!choose_completion(shell)) return CMD_USAGE;
  shells[find_shell(shell)].print(commands, n);
  return CMD_OK;
}

/* ---- the version --------------------------------------------------------------------------- */

int print_version(void) {
  const uint32_t v = cdn_version();
  printf("%s %u.%u.%u\n", program_name, (unsigned)(v / 1000000), (unsigned)(v / 1000 % 1000), (unsigned)(v % 1000));
  return CMD_OK;
}

/* ---- what --help prints -------------------------------------------------------------------- */

void choose_manual(const char *about_command) { form = HELP_MANUAL, about = about_command; }

void print_help_page(const help_page *page, const option *table, int n) {
  static void (*const printers[])(const help_page *page, const option *table, int n) = { [HELP_TEXT] = print_text,
                                                                                         [HELP_MANUAL] = print_manual,
                                                                                         [HELP_BASH] = print_for_bash,
                                                                                         [HELP_ZSH] = print_for_zsh,
                                                                                         [HELP_FISH] = print_for_fish };
  printers[form](page, table, n);
}
