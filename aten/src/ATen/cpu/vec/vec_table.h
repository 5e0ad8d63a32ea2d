#pragma once

#include <ATen/cpu/vec/vec_machine.h>

// Functions as 32 polynomials around the points 0, step, 2 step, ... Row k of a table holds the
// coefficients of (x - point)^k for all pieces; tools/vec_math/fit.py computes them.

namespace at::vec {
inline namespace CPU_CAPABILITY {

constexpr float kErfStep = 0.125f, kErfEnd = 3.925f;
constexpr float kErfTable[6][32] = {
    {0x0.0p+0f,      0x1.1f5e1ap-3f, 0x1.1af54ep-2f, 0x1.9dd0d2p-2f, 0x1.0a7ef6p-1f, 0x1.3f196ep-1f,
     0x1.6c1c98p-1f, 0x1.91724ap-1f, 0x1.af767ap-1f, 0x1.c6dad2p-1f, 0x1.d8865ep-1f, 0x1.e5768cp-1f,
     0x1.eea556p-1f, 0x1.f4f694p-1f, 0x1.f92d08p-1f, 0x1.fbe61ep-1f, 0x1.fd9ae2p-1f, 0x1.fea422p-1f,
     0x1.ff4048p-1f, 0x1.ff9960p-1f, 0x1.ffcaa8p-1f, 0x1.ffe514p-1f, 0x1.fff2d0p-1f, 0x1.fff9bap-1f,
     0x1.fffd1ap-1f, 0x1.fffeb4p-1f, 0x1.ffff70p-1f, 0x1.ffffc4p-1f, 0x1.ffffe8p-1f, 0x1.fffff6p-1f,
     0x1.fffffcp-1f, 0x1.fffffep-1f},
    {0x1.20dd76p+0f,  0x1.1c62fap+0f,  0x1.0f5d16p+0f,  0x1.f5f0ccp-1f,  0x1.c1efccp-1f,
     0x1.86e96ap-1f,  0x1.492e44p-1f,  0x1.0cab62p-1f,  0x1.a911f0p-2f,  0x1.45e99cp-2f,
     0x1.e46530p-3f,  0x1.5ce596p-3f,  0x1.e72374p-4f,  0x1.499d48p-4f,  0x1.b05532p-5f,
     0x1.12ceb2p-5f,  0x1.529ba0p-6f,  0x1.946250p-7f,  0x1.d4143cp-8f,  0x1.06918ap-8f,
     0x1.1d8316p-9f,  0x1.2ce898p-10f, 0x1.3360cep-11f, 0x1.305390p-12f, 0x1.2408eap-13f,
     0x1.0f9e1cp-14f, 0x1.e9b5eap-16f, 0x1.abe0a2p-17f, 0x1.6a5976p-18f, 0x1.296a72p-19f,
     0x1.d93722p-21f, 0x1.6ce1aep-22f},
    {-0x1.a39194p-17f, -0x1.1c620ap-3f,  -0x1.0f5c76p-2f,  -0x1.7871a6p-2f,  -0x1.c1f1a8p-2f,
     -0x1.e8a548p-2f,  -0x1.edca8ap-2f,  -0x1.d63158p-2f,  -0x1.a90e52p-2f,  -0x1.6ea2c2p-2f,
     -0x1.2ec282p-2f,  -0x1.dfb80ep-3f,  -0x1.6d6394p-3f,  -0x1.0bd470p-3f,  -0x1.7a5aa8p-4f,
     -0x1.0183e6p-4f,  -0x1.52cb02p-5f,  -0x1.ade1b4p-6f,  -0x1.079b34p-6f,  -0x1.36d8bep-7f,
     -0x1.62f9fap-8f,  -0x1.880158p-9f,  -0x1.a92232p-10f, -0x1.b15630p-11f, -0x1.9d89a0p-12f,
     -0x1.ad78d2p-13f, -0x1.be2df6p-14f, -0x1.2914bep-14f, -0x1.8db09ep-15f, -0x1.54ed8ep-18f,
     0x1.35d2a6p-19f,  0x1.0f864ap-16f},
    {-0x1.806a94p-2f, -0x1.6f525ep-2f, -0x1.3c9652p-2f, -0x1.e0ebdap-3f, -0x1.2c0ddcp-3f,
     -0x1.c83d26p-5f, 0x1.b652cep-6f,  0x1.7c95e8p-4f,  0x1.1b6670p-3f,  0x1.4cb3a4p-3f,
     0x1.571b4ep-3f,  0x1.437460p-3f,  0x1.1c2710p-3f,  0x1.d6616ap-4f,  0x1.714596p-4f,
     0x1.143ff6p-4f,  0x1.8b083cp-5f,  0x1.0ea320p-5f,  0x1.63ee12p-6f,  0x1.c1eeacp-7f,
     0x1.119ea8p-7f,  0x1.40803ap-8f,  0x1.69ce16p-9f,  0x1.89e10cp-10f, 0x1.9db6d6p-11f,
     0x1.a37258p-12f, 0x1.9aa342p-13f, 0x1.844fc8p-14f, 0x1.62ca38p-15f, 0x1.3949a2p-16f,
     0x1.0b689cp-17f, 0x1.b95c02p-19f},
    {-0x1.f6b70cp-7f,  0x1.178734p-4f,  0x1.02b690p-3f,   0x1.5002f8p-3f,  0x1.7983bap-3f,
     0x1.6b7804p-3f,   0x1.3c9e28p-3f,  0x1.dd8dd8p-4f,   0x1.0fdfdap-4f,  0x1.9782aep-6f,
     -0x1.cd673ep-9f,  -0x1.04b612p-5f, -0x1.4fed04p-5f,  -0x1.87ef88p-5f, -0x1.6ff7a0p-5f,
     -0x1.89de76p-5f,  -0x1.e87e58p-6f, -0x1.823726p-6f,  -0x1.f1fe64p-7f, -0x1.39052cp-6f,
     -0x1.dede24p-7f,  -0x1.481ad2p-7f, -0x1.5a335ap-10f, -0x1.cad88cp-9f, -0x1.7e6e6ep-8f,
     -0x1.0df9aap-14f, 0x1.0f59d6p-9f,  0x1.6bafc2p-8f,   0x1.7a334cp-8f,  -0x1.4d7292p-11f,
     -0x1.3108b8p-10f, -0x1.d691d4p-9f},
    {0x1.c61830p-3f,  0x1.a025a0p-4f,  0x1.439796p-4f,  0x1.1e464ep-5f,   0x1.0ea94ep-6f,
     -0x1.7a918ep-6f, -0x1.779764p-5f, -0x1.0b14bcp-4f, -0x1.23af64p-4f,  -0x1.f78f1cp-5f,
     -0x1.7c61f4p-5f, -0x1.f3cb94p-6f, -0x1.c31bf8p-7f, -0x1.e09850p-10f, 0x1.d713aap-8f,
     0x1.6535c2p-7f,  0x1.b4ad18p-7f,  0x1.9d3ee8p-7f,  0x1.5f3468p-7f,   0x1.0fd6e4p-7f,
     0x1.8f68a0p-8f,  0x1.1431c2p-8f,  0x1.6a7642p-9f,  0x1.c2045cp-10f,  0x1.0b0e72p-10f,
     0x1.2f85cap-11f, 0x1.4a4c22p-12f, 0x1.594b24p-13f, 0x1.5a7c86p-14f,  0x1.4dd138p-15f,
     0x1.3614b8p-16f, 0x1.1544dep-17f},
};

constexpr float kTanhStep = 0.28125f, kTanhEnd = 8.85f;
constexpr float kTanhTable[7][32] = {
    {0x0.0p+0f,      0x1.18a39ap-2f, 0x1.050870p-1f, 0x1.60260ap-1f, 0x1.9e5cb6p-1f, 0x1.c5fce8p-1f,
     0x1.de1eb6p-1f, 0x1.ec6ac0p-1f, 0x1.f4bfd6p-1f, 0x1.f98f24p-1f, 0x1.fc51f6p-1f, 0x1.fde668p-1f,
     0x1.fecd6cp-1f, 0x1.ff513ap-1f, 0x1.ff9c64p-1f, 0x1.ffc73cp-1f, 0x1.ffdfa8p-1f, 0x1.ffed92p-1f,
     0x1.fff580p-1f, 0x1.fffa04p-1f, 0x1.fffc98p-1f, 0x1.fffe0ep-1f, 0x1.fffee4p-1f, 0x1.ffff5ep-1f,
     0x1.ffffa4p-1f, 0x1.ffffccp-1f, 0x1.ffffe2p-1f, 0x1.ffffeep-1f, 0x1.fffff6p-1f, 0x1.fffffap-1f,
     0x1.fffffcp-1f, 0x1.fffffep-1f},
    {0x1.000000p+0f,  0x1.d98b36p-1f,  0x1.7aeae8p-1f,  0x1.0dcbb0p-1f,  0x1.615002p-2f,
     0x1.b5cdf0p-3f,  0x1.06129cp-3f,  0x1.33560cp-4f,  0x1.64108ap-5f,  0x1.999f4ap-6f,
     0x1.d553fap-7f,  0x1.0c3e6cp-7f,  0x1.3238b8p-8f,  0x1.5d4f9cp-9f,  0x1.8e4a90p-10f,
     0x1.c60708p-11f, 0x1.02bec8p-11f, 0x1.26e376p-12f, 0x1.5010aep-13f, 0x1.7efb44p-14f,
     0x1.b470eep-15f, 0x1.f15be0p-16f, 0x1.1b636cp-16f, 0x1.42f0dap-17f, 0x1.700356p-18f,
     0x1.a36020p-19f, 0x1.dde7fep-20f, 0x1.104d88p-20f, 0x1.364e9cp-21f, 0x1.619d84p-22f,
     0x1.92f7c8p-23f, 0x1.cb3558p-24f},
    {-0x1.340970p-24f, -0x1.038f9ap-2f,  -0x1.826082p-2f,  -0x1.732136p-2f,  -0x1.1df088p-2f,
     -0x1.843260p-3f,  -0x1.e97b8cp-4f,  -0x1.279996p-4f,  -0x1.5c2a52p-5f,  -0x1.948198p-6f,
     -0x1.d22fccp-7f,  -0x1.0ac6a6p-7f,  -0x1.31e790p-8f,  -0x1.5c448ep-9f,  -0x1.8f075cp-10f,
     -0x1.c5fd76p-11f, -0x1.082df4p-11f, -0x1.2dc5fep-12f, -0x1.5ff048p-13f, -0x1.7cfd64p-14f,
     -0x1.076734p-14f, -0x1.706b0cp-16f, -0x1.3fd21ap-17f, -0x1.b36952p-19f, -0x1.72bf50p-18f,
     -0x1.138d3ap-17f, -0x1.b37f4ap-23f, 0x1.6ad898p-17f,  0x1.9c92a6p-19f,  0x1.6a0570p-18f,
     0x1.524c84p-17f,  0x1.3f5848p-19f},
    {-0x1.555374p-2f, -0x1.e91bf6p-3f, -0x1.bd26eap-5f, 0x1.2d8eaep-4f,  0x1.c68f24p-4f,
     0x1.8c91f6p-4f,  0x1.1a5cc2p-4f,  0x1.6ba93ap-5f,  0x1.bbcdbep-6f,  0x1.06d788p-6f,
     0x1.3228eap-7f,  0x1.614358p-8f,  0x1.956e14p-9f,  0x1.cfe2c8p-10f, 0x1.08eb12p-10f,
     0x1.2e49b6p-11f, 0x1.58bd8ep-12f, 0x1.890370p-13f, 0x1.bff95ap-14f, 0x1.fe9126p-15f,
     0x1.22efd0p-15f, 0x1.4b8e7cp-16f, 0x1.79d664p-17f, 0x1.ae9346p-18f, 0x1.eaac8cp-19f,
     0x1.1794d6p-19f, 0x1.3e9a44p-20f, 0x1.6b11fcp-21f, 0x1.9dbc98p-22f, 0x1.d77cf4p-23f,
     0x1.0ca464p-23f, 0x1.322354p-24f},
    {-0x1.eb3c6cp-13f, 0x1.333320p-3f,   0x1.3c4962p-3f,   0x1.21180ap-4f,   0x1.d7b4bap-9f,
     -0x1.752e50p-6f,  -0x1.899e10p-6f,  -0x1.29c60ep-6f,  -0x1.b23036p-7f,  -0x1.e3e43cp-8f,
     -0x1.f4ca2cp-9f,  -0x1.f02c6ap-9f,  -0x1.e03d78p-11f, -0x1.5b7f44p-10f, -0x1.adb4e8p-14f,
     -0x1.0d8d0ep-12f, 0x1.d5f4cep-11f,  0x1.2d26eap-11f,  0x1.7608dcp-11f,  -0x1.47480cp-14f,
     0x1.1916c4p-10f,  -0x1.9cac60p-11f, -0x1.893218p-11f, -0x1.53fdc6p-11f, 0x1.33efdcp-19f,
     0x1.0d36f4p-11f,  -0x1.4fd648p-13f, -0x1.39ad0ap-10f, -0x1.837b10p-12f, -0x1.2f8fc0p-11f,
     -0x1.104a08p-10f, -0x1.07b29cp-12f},
    {0x1.17ef54p-3f,  0x1.e0e35ap-5f,  -0x1.5c54a4p-5f, -0x1.f0ffd8p-5f, -0x1.06f8b4p-5f,
     -0x1.f3f398p-8f, 0x1.608f06p-9f,  0x1.3920a4p-8f,  0x1.04b958p-8f,  0x1.64dc2ap-9f,
     0x1.c1367ap-10f, 0x1.0dadacp-10f, 0x1.3c5fb2p-11f, 0x1.6deecap-12f, 0x1.a60d8ep-13f,
     0x1.e34366p-14f, 0x1.133cc8p-14f, 0x1.3b52dep-15f, 0x1.678900p-16f, 0x1.99d4a0p-17f,
     0x1.d2b60ep-18f, 0x1.09f1c0p-18f, 0x1.2f7a6ep-19f, 0x1.5a142cp-20f, 0x1.8a39fcp-21f,
     0x1.c08c4ep-22f, 0x1.ff0a5ap-23f, 0x1.230652p-23f, 0x1.4c847ep-24f, 0x1.79cebcp-25f,
     0x1.af9e4ap-26f, 0x1.eb1d18p-27f},
    {-0x1.673384p-6f,  -0x1.2997cap-4f, -0x1.0a8e54p-4f, -0x1.8fca0ap-10f, 0x1.2395f2p-7f,
     0x1.b1b35ep-7f,   -0x1.88461cp-7f, -0x1.b82aa8p-7f, 0x1.ab5b7ep-6f,   -0x1.ddf466p-8f,
     -0x1.5aef40p-6f,  0x1.09fd5cp-5f,  -0x1.26d86ep-6f, 0x1.a22040p-7f,   -0x1.7e26cap-7f,
     -0x1.e56b4ap-11f, -0x1.f67974p-6f, -0x1.3c7b14p-6f, -0x1.6b24ccp-6f,  0x1.678602p-10f,
     -0x1.01f240p-5f,  0x1.6ff1a2p-6f,  0x1.606092p-6f,  0x1.317c5ap-6f,   -0x1.f4a114p-14f,
     -0x1.e73102p-7f,  0x1.2e2198p-8f,  0x1.1b2b1cp-5f,  0x1.5db60ep-7f,   0x1.121036p-6f,
     0x1.ebb93ap-6f,   0x1.dc2b56p-8f},
};

// exp(x^2) erfc(x)
constexpr float kErfcxStep = 0.328125f;
constexpr float kErfcxTable[6][32] = {
    {0x1.000000p+0f, 0x1.6e6c54p-1f, 0x1.164fc6p-1f, 0x1.ba4182p-2f, 0x1.6bb376p-2f, 0x1.3331f4p-2f,
     0x1.08fc26p-2f, 0x1.d0e9e8p-3f, 0x1.9d7738p-3f, 0x1.73e2f4p-3f, 0x1.51a8e2p-3f, 0x1.350a06p-3f,
     0x1.1cc7d2p-3f, 0x1.07f9e0p-3f, 0x1.ebe61cp-4f, 0x1.cc600cp-4f, 0x1.b096fap-4f, 0x1.97ec56p-4f,
     0x1.81e25cp-4f, 0x1.6e1424p-4f, 0x1.5c2fcap-4f, 0x1.4bf234p-4f, 0x1.3d23ecp-4f, 0x1.2f96b2p-4f,
     0x1.2323acp-4f, 0x1.17a9fcp-4f, 0x1.0d0da8p-4f, 0x1.0336b8p-4f, 0x1.f42110p-5f, 0x1.e31266p-5f,
     0x1.d3225cp-5f, 0x1.c435bcp-5f},
    {-0x1.20dd6ep+0f, -0x1.5143cep-1f, -0x1.a8e468p-2f, -0x1.1cc4dep-2f, -0x1.917d78p-3f,
     -0x1.26f3d6p-3f, -0x1.c053fep-4f, -0x1.5e7256p-4f, -0x1.18737ap-4f, -0x1.c9dce4p-5f,
     -0x1.7c1d7ep-5f, -0x1.402d42p-5f, -0x1.11183ep-5f, -0x1.d6ff8ep-6f, -0x1.9a14d4p-6f,
     -0x1.681740p-6f, -0x1.3e981ap-6f, -0x1.1bcae4p-6f, -0x1.fcab44p-7f, -0x1.ca615cp-7f,
     -0x1.9f20cap-7f, -0x1.79ab42p-7f, -0x1.590550p-7f, -0x1.3c663cp-7f, -0x1.232c4ep-7f,
     -0x1.0cd428p-7f, -0x1.f1e45ap-8f, -0x1.ce5b2ep-8f, -0x1.ae7952p-8f, -0x1.91c35cp-8f,
     -0x1.77d19ap-8f, -0x1.604c46p-8f},
    {0x1.fffb64p-1f,  0x1.ff7f66p-2f,  0x1.15c840p-2f,  0x1.43dd60p-3f,  0x1.90e504p-4f,
     0x1.04f76cp-4f,  0x1.6294bep-5f,  0x1.f39052p-6f,  0x1.6b011ep-6f,  0x1.0ed598p-6f,
     0x1.9d87dap-7f,  0x1.420e3ep-7f,  0x1.fe8586p-8f,  0x1.9ac1bep-8f,  0x1.4f1d12p-8f,
     0x1.14bff0p-8f,  0x1.cdf9cep-9f,  0x1.853fd6p-9f,  0x1.4b0ad8p-9f,  0x1.1bae18p-9f,
     0x1.e9ad78p-10f, 0x1.a9aa44p-10f, 0x1.741964p-10f, 0x1.470208p-10f, 0x1.20e1e2p-10f,
     0x1.0095d2p-10f, 0x1.c9d630p-11f, 0x1.9a23a0p-11f, 0x1.704fe6p-11f, 0x1.4c801cp-11f,
     0x1.2cd13ep-11f, 0x1.1111d6p-11f},
    {-0x1.80a714p-1f,  -0x1.51ce92p-2f,  -0x1.437882p-3f,  -0x1.4e4b3cp-4f,  -0x1.711678p-5f,
     -0x1.af5a1cp-6f,  -0x1.08bf5ap-6f,  -0x1.530ed8p-7f,  -0x1.c29744p-8f,  -0x1.350c5ap-8f,
     -0x1.b4041cp-9f,  -0x1.3b3d28p-9f,  -0x1.d1d21cp-10f, -0x1.5eb468p-10f, -0x1.0cc04ap-10f,
     -0x1.a2548cp-11f, -0x1.49eb40p-11f, -0x1.074d6ap-11f, -0x1.a9a16cp-12f, -0x1.5b37e6p-12f,
     -0x1.1dd856p-12f, -0x1.db4524p-13f, -0x1.8dedc4p-13f, -0x1.4f3d44p-13f, -0x1.1c99a8p-13f,
     -0x1.e63d06p-14f, -0x1.a23b08p-14f, -0x1.69c824p-14f, -0x1.39579ap-14f, -0x1.11c28ap-14f,
     -0x1.df742ep-15f, -0x1.a56e52p-15f},
    {0x1.f3a050p-2f,  0x1.94e5a8p-3f,  0x1.5a27a8p-4f,   0x1.4150dcp-5f,  0x1.3e86f6p-6f,
     0x1.51b7e0p-7f,  0x1.7aac74p-8f,  0x1.be035cp-9f,   0x1.0a41f2p-9f,  0x1.5893bep-10f,
     0x1.c57d22p-11f, 0x1.3609fcp-11f, 0x1.937680p-12f,  0x1.4758c0p-12f, 0x1.be0dc8p-13f,
     0x1.15b252p-13f, 0x1.9930acp-14f, 0x1.909cf4p-14f,  0x1.b75b2ap-15f, 0x1.7b1f42p-15f,
     0x1.7632e6p-15f, 0x1.2e4f7ep-16f, 0x1.23f620p-16f,  0x1.bf42cep-16f, 0x1.095b2cp-15f,
     0x1.16fecap-16f, 0x1.d8e4acp-19f, -0x1.a1f09ap-18f, 0x1.f2890cp-17f, -0x1.805054p-24f,
     0x1.12d778p-17f, 0x1.850e70p-17f},
    {-0x1.d91a8ap-3f,  -0x1.b485f6p-4f,  -0x1.51cfa0p-5f,  -0x1.1e159cp-6f,  -0x1.011ecap-7f,
     -0x1.f23632p-9f,  -0x1.005fb0p-9f,  -0x1.197a34p-10f, -0x1.2ea174p-11f, -0x1.788104p-12f,
     -0x1.d18156p-13f, -0x1.22129cp-13f, -0x1.6a0948p-14f, -0x1.2aa998p-14f, -0x1.603c42p-15f,
     -0x1.3f3c9cp-16f, -0x1.dcebfap-17f, -0x1.3f61dep-16f, -0x1.58eae4p-18f, -0x1.6a041cp-18f,
     -0x1.eed2f6p-18f, -0x1.efa616p-22f, -0x1.fbe9c8p-24f, -0x1.3d4fe6p-18f, -0x1.29c9d4p-18f,
     -0x1.ea2c32p-19f, -0x1.da1812p-24f, 0x1.aa59a0p-19f,  -0x1.581df6p-19f, 0x1.9a8b08p-21f,
     -0x1.6dba7ep-22f, -0x1.b20ffep-20f},
};

// erfinv(y) / y in -log(1 - y^2)
constexpr float kErfinvStep = 0.5078125f, kErfinvTableEnd = 15.99f;
constexpr float kErfinvTable[5][32] = {
    {0x1.c5bf8ap-1f, 0x1.01b7e0p+0f, 0x1.219974p+0f, 0x1.4207d8p+0f, 0x1.629092p+0f, 0x1.82d356p+0f,
     0x1.a285e8p+0f, 0x1.c1744ep+0f, 0x1.df7e70p+0f, 0x1.fc944cp+0f, 0x1.0c58eep+1f, 0x1.19edb4p+1f,
     0x1.270d38p+1f, 0x1.33bdacp+1f, 0x1.4005f4p+1f, 0x1.4bed10p+1f, 0x1.5779cep+1f, 0x1.62b29ep+1f,
     0x1.6d9d74p+1f, 0x1.783fc6p+1f, 0x1.829e8ap+1f, 0x1.8cbe44p+1f, 0x1.96a308p+1f, 0x1.a05086p+1f,
     0x1.a9ca1ap+1f, 0x1.b312ccp+1f, 0x1.bc2d60p+1f, 0x1.c51c5cp+1f, 0x1.cde20ep+1f, 0x1.d68094p+1f,
     0x1.def9e0p+1f, 0x1.e74fbap+1f},
    {0x1.db293cp-3f, 0x1.ef61bcp-3f, 0x1.fbd482p-3f, 0x1.0068eap-2f, 0x1.ff4352p-3f, 0x1.f87076p-3f,
     0x1.edbf0ap-3f, 0x1.e08036p-3f, 0x1.d1d134p-3f, 0x1.c28f06p-3f, 0x1.b357d8p-3f, 0x1.a493fep-3f,
     0x1.9681d6p-3f, 0x1.894150p-3f, 0x1.7cdda8p-3f, 0x1.7154eap-3f, 0x1.669d60p-3f, 0x1.5ca93ep-3f,
     0x1.536900p-3f, 0x1.4accf4p-3f, 0x1.42c5fcp-3f, 0x1.3b4610p-3f, 0x1.344066p-3f, 0x1.2da976p-3f,
     0x1.2776fap-3f, 0x1.219fc6p-3f, 0x1.1c1bb8p-3f, 0x1.16e39ap-3f, 0x1.11f100p-3f, 0x1.0d3e32p-3f,
     0x1.08c616p-3f, 0x1.048420p-3f},
    {0x1.7b2028p-7f,  0x1.0161b2p-7f,  0x1.0f7f38p-8f,  0x1.7fce3ep-11f, -0x1.1669aap-9f,
     -0x1.1b0492p-8f, -0x1.7fa124p-8f, -0x1.bd32eap-8f, -0x1.db994ep-8f, -0x1.e2f7dcp-8f,
     -0x1.d9ab8ep-8f, -0x1.c6b956p-8f, -0x1.af2526p-8f, -0x1.93d44ep-8f, -0x1.78b8ccp-8f,
     -0x1.5e5b06p-8f, -0x1.44e946p-8f, -0x1.2dee32p-8f, -0x1.18ed12p-8f, -0x1.060794p-8f,
     -0x1.e84692p-9f, -0x1.c8a5dap-9f, -0x1.ac772cp-9f, -0x1.91d1d6p-9f, -0x1.7b3944p-9f,
     -0x1.664e2ap-9f, -0x1.52d0aap-9f, -0x1.40d370p-9f, -0x1.2fcdc2p-9f, -0x1.206e24p-9f,
     -0x1.13487cp-9f, -0x1.063ac4p-9f},
    {-0x1.40cd86p-9f,  -0x1.438316p-9f,  -0x1.36409ap-9f,  -0x1.0fce50p-9f,  -0x1.b45c2cp-10f,
     -0x1.3f9c0cp-10f, -0x1.a3e1c0p-11f, -0x1.d64682p-12f, -0x1.719182p-13f, 0x1.30ff70p-16f,
     0x1.3169fap-13f,  0x1.d09a48p-13f,  0x1.10db32p-12f,  0x1.1eb04ap-12f,  0x1.1b99d6p-12f,
     0x1.0ed60ep-12f,  0x1.f9aeb2p-13f,  0x1.d0e942p-13f,  0x1.a89880p-13f,  0x1.811c1ap-13f,
     0x1.5cfaacp-13f,  0x1.3c168ap-13f,  0x1.1e0e64p-13f,  0x1.03c2ccp-13f,  0x1.d75d10p-14f,
     0x1.ad5782p-14f,  0x1.88dc56p-14f,  0x1.67b186p-14f,  0x1.49bde4p-14f,  0x1.2f2818p-14f,
     0x1.1804e8p-14f,  0x1.021b06p-14f},
    {0x1.6fc2d2p-14f,  0x1.906dbep-17f,  0x1.05d78ap-14f,  0x1.983eccp-13f,  0x1.a23646p-13f,
     0x1.68fbd0p-13f,  0x1.a0fdc2p-13f,  0x1.4317c0p-13f,  0x1.f8e670p-14f,  0x1.027bc4p-13f,
     -0x1.08df8cp-17f, -0x1.086240p-14f, 0x1.1cfe3ap-14f,  -0x1.1cf32ap-15f, -0x1.32e748p-17f,
     0x1.6f5e6ap-18f,  -0x1.75bd7ep-14f, -0x1.0f8694p-14f, -0x1.18c972p-15f, 0x1.2ca002p-15f,
     -0x1.79f90ap-15f, -0x1.7daa7ap-15f, -0x1.911868p-19f, -0x1.20cf16p-14f, 0x1.7825aap-16f,
     0x1.2ba934p-14f,  0x1.437d48p-14f,  0x1.161adcp-14f,  0x1.8f5408p-18f,  -0x1.9352c0p-16f,
     0x1.74f0f2p-15f,  0x1.646e46p-16f},
};

#if defined(__AVX512F__)
// Evaluates the function at `a`, which is between 0 and 31.5 steps.
template <int kDegree>
C10_ALWAYS_INLINE Lanes<float, 16> by_table(
    Lanes<float, 16> a, const float (*table)[32], float step) {
  using V = Lanes<float, 16>;
  const V shifted = fma(a, splat<V>(1.0f / step), splat<V>(kRoundMagic<float>));
  const auto index = reinterpret_cast<Lanes<int32_t, 16>>(shifted);
  const V t = fma(shifted - kRoundMagic<float>, splat<V>(-step), a);
  V f = lookup(table[kDegree], index);
#pragma GCC unroll 8
  for (int k = kDegree - 1; k >= 0; --k) {
    f = fma(f, t, lookup(table[k], index));
  }
  return f;
}

// An odd function that is 1 beyond `end`.
template <int kDegree>
C10_ALWAYS_INLINE Lanes<float, 16> odd_by_table(
    Lanes<float, 16> x, const float (*table)[32], float step, float end) {
  return with_sign(at_most(by_table<kDegree>(at_most(abs(x), end), table, step), 1.0f), x);
}
#else
template <int kDegree, typename V>
V by_table(V, const float (*)[32], float) = delete;
template <int kDegree, typename V>
V odd_by_table(V x, const float (*)[32], float, float) = delete;
#endif

} // namespace CPU_CAPABILITY
} // namespace at::vec
