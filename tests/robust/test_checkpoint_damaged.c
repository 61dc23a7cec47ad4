/* Damaged checkpoints: cut short, with bits flipped, with numbers that make no sense behind a checksum that fits. What
 * comes out is a message and the State as it was; nothing is read out of bounds or left behind (see it under the
 * sanitizers). */
#include "../unit/checkpoint_rig.h"

#include <zlib.h>

/* What a run and its State are saved as, after a while. */
typedef struct samples {
  rig r;
  rig_log log;
  cdn_state *state;
  cdn_buffer of_state, of_stepper;
} samples;

static void take_samples(samples *s) {
  *s = (samples){ .log = { 0 } };
  s->state = rig_state(&s->r, true, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  def.user = &s->log;
  OK_ON(s->state, cdn_stepper_create(s->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.305, NULL));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &s->of_stepper));
  OK_ON(s->state, cdn_state_save(s->state, cdn_buffer_write, &s->of_state));
  cdn_stepper_destroy(stepper);
}

static void release_samples(samples *s) {
  cdn_buffer_free(&s->of_state);
  cdn_buffer_free(&s->of_stepper);
  cdn_state_destroy(s->state);
}

/* Loads the first n of these bytes as both kinds of thing. Returns the status of the right kind. */
static cdn_status load(samples *s, bool is_stepper, const void *bytes, size_t n) {
  cdn_buffer b = { .bytes = (void *)bytes, .size = n };
  cdn_stepper *stepper = NULL;
  cdn_error error = { .code = CDN_OK };
  cdn_status status = is_stepper ? cdn_stepper_load(s->state, &s->log, NULL, cdn_buffer_read, &b, &stepper)
                                 : cdn_state_load(s->state, cdn_buffer_read, &b);
  if (status != CDN_OK) {
    ck_assert_ptr_null(stepper);
    cdn_state_last_error(s->state, &error);
    ck_assert_int_eq(error.code, status);
    ck_assert_int_gt((int)strlen(error.text), 20);
  } else if (is_stepper) {
    /* whatever it holds, it can be looked at */
    (void)cdn_stepper_occurrence(stepper, 0);
    (void)!cdn_realize(cdn_stepper_state(stepper), CDN_STAGE_REPORT);
    cdn_stepper_destroy(stepper);
  }
  return status;
}

/* The State's variables, to see that nothing has changed. */
static uint64_t fingerprint(const samples *s) {
  uint64_t hash = 0;
  const cdn_system *system = cdn_state_system(s->state);
  double t = cdn_state_time(s->state);
  absorb(&hash, &t, sizeof t);
  absorb(&hash, cdn_state_q(s->state), sizeof(double) * (size_t)cdn_system_nq(system));
  absorb(&hash, cdn_state_u(s->state), sizeof(double) * (size_t)cdn_system_nu(system));
  absorb(&hash, cdn_state_discrete(s->state, s->r.drift.stream), sizeof(uint32_t));
  return hash;
}

START_TEST(every_truncation_is_refused) {
  samples s;
  take_samples(&s);
  uint64_t before = fingerprint(&s);
  for (int kind = 0; kind < 2; kind++) {
    const cdn_buffer *b = kind ? &s.of_stepper : &s.of_state;
    for (size_t n = 0; n < b->size; n++) {
      /* a block of its own, so that reading beyond it is seen */
      void *bytes = malloc(n ? n : 1);
      ck_assert_ptr_nonnull(bytes);
      memcpy(bytes, b->bytes, n);
      ck_assert_int_eq(load(&s, kind, bytes, n), CDN_ERR_FILE);
      free(bytes);
    }
    ck_assert_int_eq(load(&s, kind, b->bytes, b->size), CDN_OK);
    if (kind == 0) before = fingerprint(&s);
    ck_assert(fingerprint(&s) == before);
  }
  release_samples(&s);
}
END_TEST

static uint32_t random_number(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

START_TEST(flipped_bits_are_refused) {
  samples s;
  take_samples(&s);
  uint64_t before = fingerprint(&s);
  uint32_t seed = 7;
  for (int kind = 0; kind < 2; kind++) {
    cdn_buffer *b = kind ? &s.of_stepper : &s.of_state;
    unsigned char *bytes = b->bytes;
    for (int i = 0; i < 20000; i++) {
      size_t at = (random_number(&seed) >> 4) % b->size;
      unsigned char flip = (unsigned char)(1u << (random_number(&seed) >> 29));
      bytes[at] ^= flip;
      cdn_status status = load(&s, kind, bytes, b->size);
      ck_assert_msg(status == CDN_ERR_PARSE || status == CDN_ERR_FILE, "byte %zu: %s", at, cdn_status_name(status));
      bytes[at] ^= flip;
    }
  }
  ck_assert(fingerprint(&s) == before);
  release_samples(&s);
}
END_TEST

/* Makes both checksums fit what is there. */
static void mend(unsigned char *bytes, size_t n) {
  enum { HEADER = 32 };
  uint32_t sums[2] = { (uint32_t)crc32(0, bytes, HEADER - 4),
                       (uint32_t)crc32(0, bytes + HEADER, (uInt)(n - HEADER - 4)) };
  for (int i = 0; i < 4; i++) {
    bytes[HEADER - 4 + i] = (unsigned char)(sums[0] >> 8 * i);
    bytes[n - 4 + (size_t)i] = (unsigned char)(sums[1] >> 8 * i);
  }
}

START_TEST(nonsense_behind_a_good_checksum_does_no_harm) {
  samples s;
  take_samples(&s);
  uint32_t seed = 11;
  int refused = 0, taken = 0;
  for (int kind = 0; kind < 2; kind++) {
    const cdn_buffer *b = kind ? &s.of_stepper : &s.of_state;
    unsigned char *bytes = malloc(b->size);
    ck_assert_ptr_nonnull(bytes);
    for (int i = 0; i < 20000; i++) {
      memcpy(bytes, b->bytes, b->size);
      for (int k = 0; k <= i % 4; k++) {
        size_t at = (random_number(&seed) >> 4) % b->size;
        bytes[at] = (unsigned char)(random_number(&seed) >> 24);
      }
      mend(bytes, b->size);
      if (load(&s, kind, bytes, b->size) == CDN_OK) taken++;
      else refused++;
    }
    free(bytes);
  }
  /* variables may have other values, lengths and indices may not */
  ck_assert_int_gt(refused, 1000);
  ck_assert_int_gt(taken, 1000);
  release_samples(&s);
}
END_TEST

START_TEST(a_length_that_is_not_true_costs_nothing) {
  samples s;
  take_samples(&s);
  unsigned char *bytes = s.of_stepper.bytes;
  bytes[16 + 5] = 0x7f; /* a hundred tebibytes */
  mend(bytes, s.of_stepper.size);
  ck_assert_int_eq(load(&s, true, bytes, s.of_stepper.size), CDN_ERR_FILE);
  memset(bytes + 16, 0xff, 8);
  mend(bytes, s.of_stepper.size);
  ck_assert_int_eq(load(&s, true, bytes, s.of_stepper.size), CDN_ERR_PARSE);
  release_samples(&s);
}
END_TEST

CHECK_MAIN("damaged checkpoints", every_truncation_is_refused, flipped_bits_are_refused,
           nonsense_behind_a_good_checksum_does_no_harm, a_length_that_is_not_true_costs_nothing)
