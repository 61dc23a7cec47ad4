/* Nothing falls through, nothing slips between two steps: scenes drawn at random, each by one of eight methods, and
 * models as people write them. A run may stop by name or say that it has not delivered; it may not end behind what it
 * fell on, or far from the truth, and be silent. `falls --seed 7 --only K
 * --method M --accuracy A` of the program accuracy/falls repeats a run. */
#include "fall_models.h"
#include "falls/trial.h"

#include "../testing.h"

static const cdn_method methods[] = { CDN_METHOD_DEFAULT,          CDN_METHOD_IMPLICIT_CONTACT,
                                      CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_MERSON,
                                      CDN_METHOD_DORMAND_PRINCE,   CDN_METHOD_ADAMS,
                                      CDN_METHOD_BOGACKI_SHAMPINE, CDN_METHOD_CVODE_BDF };
enum { METHODS = sizeof methods / sizeof *methods };

/* One for a run that is as it should be: there. */
static int is_wrong(const scene *s, scene_truth *truth, cdn_method method, double accuracy) {
  trial t;
  trial_run(s, truth, false, method, accuracy, 0, &t);
  const bool wrong = t.outcome == TRIAL_BELOW || t.outcome == TRIAL_DENIED || t.outcome == TRIAL_SILENT;
  if (wrong) trial_print(stderr, s, &t);
  return wrong;
}

static double an_accuracy(dice *d, cdn_method method) {
  return dice_log(d, method == CDN_METHOD_IMPLICIT_CONTACT || method == CDN_METHOD_BOGACKI_SHAMPINE ? 1e-3 : 1e-6,
                  0.08);
}

static void scan(const char *family, int all) {
  const int n = FEWER(all);
  int wrong = 0, runs = 0;
  for (int i = 0; runs < n && i < 2 * n; i++) {
    scene s;
    scene_truth truth = { 0 };
    dice d = { (uint64_t)i };
    const cdn_method method = methods[i % METHODS];
    if (!cdn_method_is_available(method) || !scene_make(7, i, family, &s)) continue;
    s.most_steps = 1000;
    wrong += is_wrong(&s, &truth, method, an_accuracy(&d, method));
    runs++;
    scene_truth_clear(&truth);
    scene_clear(&s);
  }
  ck_assert_msg(wrong == 0, "%d of %d runs of family %s", wrong, runs, family);
}

START_TEST(solids_fall_on_solids) { scan("fall", 88); }
END_TEST
START_TEST(solids_are_thrown_at_walls) { scan("thrown", 24); }
END_TEST
START_TEST(bullets_meet_plates) { scan("bullet", 32); }
END_TEST
START_TEST(plates_that_move_meet_solids) { scan("moving", 24); }
END_TEST
START_TEST(arms_meet_pegs) { scan("arm", 24); }
END_TEST
START_TEST(pendulums_meet_walls) { scan("swing", 16); }
END_TEST
START_TEST(trees_fall_on_a_floor) { scan("tree", 8); }
END_TEST
START_TEST(solids_that_begin_inside_do_not_fall_freely) { scan("deep", 24); }
END_TEST

/* Blades and a ball: where both runs of a certificate miss the touch, the truth tells. */
START_TEST(rotors_meet_balls) {
  int wrong = 0;
  for (int i = 0; i < 8; i++) {
    scene s;
    scene_truth truth = { 0 };
    trial t;
    dice d = { (uint64_t)i };
    ck_assert(scene_make(7, i, "rotor", &s));
    trial_run(&s, &truth, true, methods[i % METHODS], an_accuracy(&d, methods[i % METHODS]), 0, &t);
    if (t.outcome == TRIAL_DENIED) trial_print(stderr, &s, &t), wrong++;
    scene_truth_clear(&truth);
    scene_clear(&s);
  }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

static void follow_model(int kind, cdn_model_contact contact, int *wrong) {
  dice d = { (uint64_t)kind + 40 };
  fall_model f;
  fall_model_make(&d, kind, &f);
  for (int m = 0; m < METHODS; m += 1 + kind % 2) {
    scene s;
    scene_truth truth = { 0 };
    if (!cdn_method_is_available(methods[m])) continue;
    fall_model_scene(&f, contact, &s);
    *wrong += is_wrong(&s, &truth, methods[m], 1e-4);
    scene_truth_clear(&truth);
    scene_clear(&s);
  }
}

START_TEST(models_with_compliant_contact) {
  int wrong = 0;
  for (int kind = 0; kind < FALL_MODEL_KINDS; kind++) follow_model(kind, CDN_MODEL_COMPLIANT, &wrong);
  ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(models_with_soft_contact) {
  int wrong = 0;
  for (int kind = 0; kind < FALL_MODEL_KINDS; kind++) follow_model(kind, CDN_MODEL_SOFT, &wrong);
  ck_assert_int_eq(wrong, 0);
}
END_TEST

CHECK_MAIN("falls", solids_fall_on_solids, solids_are_thrown_at_walls, bullets_meet_plates,
           plates_that_move_meet_solids, arms_meet_pegs, pendulums_meet_walls, trees_fall_on_a_floor,
           solids_that_begin_inside_do_not_fall_freely, rotors_meet_balls, models_with_compliant_contact,
           models_with_soft_contact)
