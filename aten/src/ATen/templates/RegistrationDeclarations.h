${generated}
/// Every operator's schema with its C++ type, for people and tools that register kernels by hand.

${declarations}
