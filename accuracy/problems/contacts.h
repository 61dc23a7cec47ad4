/* Rigid contact, ropes, and friction that sticks: impacts, rest, stick and slip. */
#ifndef CARDAN_ACCURACY_CONTACTS_H
#define CARDAN_ACCURACY_CONTACTS_H

#include "problem.h"

extern const problem contact_ball, contact_table, contact_rope, contact_rocking, contact_belt, contact_chain,
    contact_pulled, contact_pin, contact_woodpecker;
/* contact_elements.c */
extern const problem contact_motor, contact_ratchet, contact_oscillator, contact_oscillator_unstable, contact_clearance,
    contact_bar, contact_rods, contact_ladder;
/* contact_shapes.c */
extern const problem contact_flat, contact_groove, shapes_backspin, shapes_slide, shapes_tip, shapes_rock, shapes_flat,
    shapes_stack, shapes_coin, shapes_tippe, shapes_limbs;

#endif
