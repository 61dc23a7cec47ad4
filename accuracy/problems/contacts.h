/* Rigid contact, ropes, and friction that sticks: impacts, rest, stick and slip. */
#ifndef CARDAN_ACCURACY_CONTACTS_H
#define CARDAN_ACCURACY_CONTACTS_H

#include "problem.h"

extern const problem contact_ball, contact_table, contact_rope, contact_rocking, contact_belt, contact_chain,
    contact_pulled, contact_pin, contact_woodpecker;

#endif
