/* The token of a server: the part of its address that nobody guesses. */
#define _GNU_SOURCE
#include "view/link_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char opener[] = "cdni_link_open";

static cdn_status make_token(char token[TOKEN + 1]) {
  unsigned char bytes[TOKEN / 2];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return cdni_refuse(CDN_ERR_FILE, opener, "the system gave no random numbers: %s", strerror(errno));
  for (int i = 0; i < TOKEN / 2; i++) snprintf(token + (size_t)2 * i, 3, "%02x", bytes[i]);
  return CDN_OK;
}

static cdn_status wrong_file(const char *path, const char *what) {
  return cdni_refuse(
      CDN_ERR_FILE, opener,
      "the file %s of the token %s: whoever reads the token can steer the run. Remove the file, and a new "
      "one is made",
      path, what);
}

/* Whoever could read or write the file could steer the run. */
static cdn_status read_token(const char *path, int file, char token[TOKEN + 1]) {
  struct stat about;
  char text[TOKEN + 2] = { 0 };
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return wrong_file(path, "is no ordinary file");
  if (about.st_uid != geteuid()) return wrong_file(path, "belongs to another user");
  if (about.st_mode & 077) return wrong_file(path, "is open to other users (its mode must be 600)");
  const ssize_t n = read(file, text, sizeof text);
  const bool whole = n == TOKEN || (n == TOKEN + 1 && text[TOKEN] == '\n');
  if (!whole || strspn(text, "0123456789abcdef") < TOKEN)
    return wrong_file(path, "does not have 32 hexadecimal digits and nothing else");
  memcpy(token, text, TOKEN);
  token[TOKEN] = 0;
  return CDN_OK;
}

/* A new file that only this user can read. */
static cdn_status write_token(const char *path, int file, char token[TOKEN + 1]) {
  char text[TOKEN + 1];
  CDNI_TRY(make_token(token));
  memcpy(text, token, TOKEN);
  text[TOKEN] = '\n';
  if (write(file, text, sizeof text) == sizeof text) return CDN_OK;
  const int code = errno;
  unlink(path);
  return cdni_refuse(CDN_ERR_FILE, opener, "the file %s of the token could not be written: %s", path, strerror(code));
}

cdn_status cdni_link_make_token(const char *path, char token[TOKEN + 1]) {
  if (!path) return make_token(token);
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool there = file >= 0 || errno != ENOENT;
  if (!there) file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return cdni_refuse(CDN_ERR_FILE, opener, "the file %s of the token could not be %s: %s", path,
                       there ? "read" : "made", strerror(errno));
  const cdn_status status = there ? read_token(path, file, token) : write_token(path, file, token);
  close(file);
  return status;
}
