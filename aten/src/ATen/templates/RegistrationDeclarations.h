${generated}
/// For people and tools that register kernels by hand: every operator's schema beside its C++ type.

${declarations}
