/* Numbers of others, and of integrations elsewhere with 20 digits and more (__float128 extrapolation at 1e-24 and
 * below, or Jacobi's functions with 25 digits). Each row begins with its time.
 *
 * a01, a02, andrews, bricard, governor: problems A01 to A05 of the IFToMM library
 * (https://www.iftomm-multibody.org/benchmark;
 *   definitions and parameters as in RehabEngGroup/MBSbenchmarksInOpenSim); andrews also belongs to the IVP test set
 *   (problem II-13; CRAN deTestSet), whose values at 0.03 s are good to 1e-10 and agree.
 * slider_crank: SUNDIALS, examples/ida/serial/idaSlCrank_dns.c.
 * double_pendulum, free_top, rolling_disc: usual parameters; box: of the benchmark of boxes by S. Peters
 * (scpeters/benchmark). */
#ifndef CARDAN_ACCURACY_TABLES_H
#define CARDAN_ACCURACY_TABLES_H

extern const double table_a01[14][3];
extern const double table_a02_1[11][3];
extern const double table_a02_2[11][3];
extern const double table_andrews[10][15];
extern const double table_bricard[20][13];
extern const double table_governor[20][7];
extern const double table_double_pendulum[20][5];
extern const double table_free_top[20][8];
extern const double table_box[20][8];
extern const double table_rolling_disc[10][11];
extern const double table_slider_crank[20][5];

#endif
