// Every kind of mobilizer in Simbody.
#include "simbody_tree.h"

using namespace SimTK;

namespace peers {

bool simbody_rates_wrong(const peers::Body &b) {
  const bool line = b.kind == CDN_LINE_ORIENTATION || b.kind == CDN_FREE_LINE;
  return line && b.reversed && !b.euler;
}

MobilizedBody add_to_simbody(MobilizedBody &parent, const peers::Body &b, const MassProperties &mass) {
  const Transform F = to_simbody(b.X_PF), M = to_simbody(b.X_BM);
  const SimTK::Body::Rigid rigid(mass);
  const MobilizedBody::Direction way = b.reversed ? MobilizedBody::Reverse : MobilizedBody::Forward;
  const int flags = static_cast<int>(b.params[2]); // of spherical coordinates
  switch (moves_as(b)) {
    case CDN_PIN: return MobilizedBody::Pin(parent, F, rigid, M, way);
    case CDN_SLIDER: return MobilizedBody::Slider(parent, F, rigid, M, way);
    case CDN_BALL: return MobilizedBody::Ball(parent, F, rigid, M, way);
    case CDN_FREE: return MobilizedBody::Free(parent, F, rigid, M, way);
    case CDN_UNIVERSAL: return MobilizedBody::Universal(parent, F, rigid, M, way);
    case CDN_CYLINDER: return MobilizedBody::Cylinder(parent, F, rigid, M, way);
    case CDN_BEND_STRETCH: return MobilizedBody::BendStretch(parent, F, rigid, M, way);
    case CDN_PLANAR: return MobilizedBody::Planar(parent, F, rigid, M, way);
    case CDN_GIMBAL: return MobilizedBody::Gimbal(parent, F, rigid, M, way);
    case CDN_BUSHING: return MobilizedBody::Bushing(parent, F, rigid, M, way);
    case CDN_ELLIPSOID:
      return MobilizedBody::Ellipsoid(parent, F, rigid, M, Vec3(b.params[0], b.params[1], b.params[2]), way);
    case CDN_TRANSLATION: return MobilizedBody::Translation(parent, F, rigid, M, way);
    case CDN_LINE_ORIENTATION: return MobilizedBody::LineOrientation(parent, F, rigid, M, way);
    case CDN_FREE_LINE: return MobilizedBody::FreeLine(parent, F, rigid, M, way);
    case CDN_SPHERICAL_COORDS:
      return MobilizedBody::SphericalCoords(parent, F, rigid, M, b.params[0], flags & 1, b.params[1], flags & 2,
                                            flags & 4 ? CoordinateAxis(XAxis) : CoordinateAxis(ZAxis), flags & 8, way);
    case CDN_SCREW: return MobilizedBody::Screw(parent, F, rigid, M, b.params[0], way);
    case CDN_FUNCTION_BASED: return add_function_based(parent, F, rigid, M, *b.functions, way);
    case CDN_WELD:
    case CDN_CUSTOM_MOBILIZER: // it moves as another kind (moves_as)
    case CDN_MOBILIZER_COUNT: break;
  }
  return MobilizedBody::Weld(parent, F, rigid, M);
}

} // namespace peers
