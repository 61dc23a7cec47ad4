/* What a mobility receives and sends in the recursion of derivatives (kernel_derivatives.c), written once for a lone
 * mobility and for the eight of a block side by side. The including file defines NUM and VEC, a number and a vector of
 * each mobility; ON(name), a function on them; NUM_SET(x), one number for all; PUT3(side, component, VEC). This file
 * has no guard: it is included once for each. */

CDNI_INLINE VEC ON(at)(const NUM *n) { return (VEC){ n[0], n[1], n[2] }; }

/* s: the mobility's motion. r leads from its M origin to the block's origin, which moves faster by v. */
CDNI_INLINE void ON(receive)(side c, const NUM *s, VEC r, VEC v) {
  const VEC S_w = ON(at)(s), eta_w = ON(at)(s + 6), alpha_w = ON(at)(s + 12), beta_w = ON(at)(s + 18);
  const VEC alpha_v = ON(cross_plus)(alpha_w, r, ON(at)(s + 15)), beta_v = ON(cross_plus)(beta_w, r, ON(at)(s + 21));
  PUT3(c, ALPHA, alpha_w);
  PUT3(c, ALPHA + 3, ON(fma)(NUM_SET(2), ON(cross)(eta_w, v), alpha_v));
  PUT3(c, ETA, eta_w);
  PUT3(c, S_, S_w);
  PUT3(c, S_ + 3, ON(cross_plus)(S_w, r, ON(at)(s + 3)));
  PUT3(c, BETA, beta_w);
  PUT3(c, BETA + 3, ON(fma)(NUM_SET(2), ON(cross)(S_w, v), beta_v));
  PUT3(c, TURN, S_w);
}

/* I (w, v) of a rigid inertia. */
CDNI_INLINE VEC ON(moment)(const NUM *I, VEC w, VEC v) { return ON(cross_plus)(ON(at)(I + 6), v, ON(symmetric)(I, w)); }
CDNI_INLINE VEC ON(push)(const NUM *I, VEC w, VEC v) { return ON(fma)(I[9], v, ON(cross)(w, ON(at)(I + 6))); }

CDNI_INLINE void ON(put_force)(side x, int component, VEC w, VEC v, VEC back) {
  PUT3(x, component, ON(cross_plus)(back, v, w));
  PUT3(x, component + 3, v);
}

/* s: the mobility's motion; c: the sums of its body, which are complete; less: what forces that respond take from DF_Q
 * and DF_U. */
CDNI_INLINE void ON(send)(side x, const NUM *s, const NUM *c, const NUM *less, VEC r, VEC v) {
  const VEC w = ON(at)(s), S_v = ON(at)(s + 3), e = ON(at)(s + 6), back = ON(scale)(NUM_SET(-1), r);
  const VEC alpha_w = ON(at)(s + 12), alpha_v = ON(at)(s + 15), beta_w = ON(at)(s + 18), beta_v = ON(at)(s + 21);
  const VEC h = ON(at)(c + 10), F_w = ON(at)(c + 22), F_v = ON(at)(c + 25), f = ON(at)(c + 37);
  const VEC K[3] = { ON(at)(c + 13), ON(at)(c + 16), ON(at)(c + 19) };
  const VEC A[3] = { ON(at)(c + 28), ON(at)(c + 31), ON(at)(c + 34) };
  const NUM two = NUM_SET(2), t = NUM_TIMES(two, NUM_PLUS(NUM_PLUS(c[13], c[17]), c[21]));
  const VEC m_w = ON(moment)(c, w, S_v), m_v = ON(push)(c, w, S_v);
  /* S x* F and what constant forces take back; B eta + I alpha */
  const VEC q_w = ON(add)(ON(cross_plus)(w, F_w, ON(cross)(S_v, F_v)), ON(matrix)(A, w));
  const VEC q_v = ON(add)(ON(cross)(w, F_v), ON(cross)(w, f));
  VEC dq_w = ON(fma)(t, e, ON(scale)(NUM_SET(-2), ON(matrix)(K, e)));
  VEC dq_v = ON(scale)(two, ON(cross)(e, h));
  dq_w = ON(add)(q_w, ON(add)(dq_w, ON(moment)(c, alpha_w, alpha_v)));
  dq_v = ON(add)(q_v, ON(add)(dq_v, ON(push)(c, alpha_w, alpha_v)));
  VEC du_w = ON(fma)(t, w, ON(scale)(NUM_SET(-2), ON(matrix)(K, w)));
  VEC du_v = ON(scale)(two, ON(cross)(w, h));
  du_w = ON(add)(du_w, ON(moment)(c, beta_w, beta_v));
  du_v = ON(add)(du_v, ON(push)(c, beta_w, beta_v));
  if (less) {
    dq_w = ON(sub)(dq_w, ON(at)(less)), dq_v = ON(sub)(dq_v, ON(at)(less + 3));
    du_w = ON(sub)(du_w, ON(at)(less + 6)), du_v = ON(sub)(du_v, ON(at)(less + 9));
  }
  const VEC b = ON(fma)(t, w, ON(scale)(NUM_SET(-2), ON(transposed)(K, w)));
  ON(put_force)(x, M_, m_w, m_v, back);
  PUT3(x, B_, ON(add)(b, ON(scale)(two, ON(sub)(ON(cross)(h, S_v), ON(cross)(v, m_v)))));
  PUT3(x, L_, ON(add)(ON(transposed)(A, w), ON(cross)(f, S_v)));
  ON(put_force)(x, DF_Q, dq_w, dq_v, back);
  ON(put_force)(x, DF_U, du_w, du_v, back);
}
