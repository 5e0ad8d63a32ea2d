#pragma once

// The smooth parts of Bessel and Airy functions as polynomials in [-1, 1], for BesselFormulas.h.
// tools/vec_math/bessel.py computes them. The short tables are exact enough for floats.

namespace at::native::bessel {

// The first zeros, each the sum of two doubles.
constexpr double kZeroJ0 = 0x1.33d152e971b40p+1, kZeroJ0Rest = -0x1.0f539d7da258ep-53;
constexpr double kNextZeroJ0 = 0x1.6148f5b2c2e45p+2, kNextZeroJ0Rest = 0x1.75054cd60a517p-54;
constexpr double kZeroJ1 = 0x1.ea75575af6f09p+1, kZeroJ1Rest = -0x1.60155a9d1b256p-53;
constexpr double kNextZeroJ1 = 0x1.c0ff5f3b47250p+2, kNextZeroJ1Rest = -0x1.b226d9d243827p-54;
constexpr double kZeroAiry = -0x1.2b471a873adf9p+1, kZeroAiryRest = -0x1.68d7a31cc8091p-55;
constexpr double kAiryAngleLow = 0x1.5555555555555p+2; // 2/3 |x|^(3/2) at -4, and at 2
constexpr double kAiryAngleHigh = 0x1.e2b7dddfefa66p+0;

constexpr double kNearJ0[] = {
    0x1.2bc29174dd587p-10, -0x1.15d87e4b8d5b1p-9,  0x1.99e65104a68d3p-10, -0x1.5059ea69f58a0p-11,
    0x1.6409a6fd7b18ap-13, -0x1.08db6a2de28aap-15, 0x1.250f53798040dp-18, -0x1.f633ea858ec29p-22,
    0x1.577f683b94385p-25, -0x1.801f7fa416776p-29, 0x1.65ec7d7179bb0p-33, -0x1.1a4d043572f5fp-37,
    0x1.7df1408b8edaap-42, -0x1.c1bf0c95af860p-47, 0x1.cdf6a922f9295p-52};
constexpr double kNearJ0Short[] = {
    0x1.2bc2917645533p-10, -0x1.15d87e4bbe197p-9,  0x1.99e650be5bb13p-10, -0x1.5059ea5abac60p-11,
    0x1.6409b88ea6f06p-13, -0x1.08db6f8214052p-15, 0x1.25092e5d644abp-18, -0x1.f62dd4284ab3bp-22,
    0x1.5b014c7f3264cp-25, -0x1.8329f79080c9fp-29};
constexpr double kNearJ1[] = {
    0x1.98ec1eee7c01ap-13, -0x1.1adb1329ed86fp-12, 0x1.4c9bd11c0aa35p-13, -0x1.c5a7fc38dd1d1p-15,
    0x1.9ac7788fbdf53p-17, -0x1.0af8bb9889cb5p-19, 0x1.06438a691a3a8p-22, -0x1.941a82672e615p-26,
    0x1.f6297a8914b7cp-30, -0x1.0137e04d892a0p-33, 0x1.ba3eacfbb57a8p-38, -0x1.43c188cda7deep-42,
    0x1.9a2b2940c3b58p-47, -0x1.c2d74fed71ec1p-52};
constexpr double kNearJ1Short[] = {
    0x1.98ec1eeeeb1e4p-13,  -0x1.1adb12e126466p-12, 0x1.4c9bd10658242p-13,
    -0x1.c5a81a88fa1f0p-15, 0x1.9ac783682a143p-17,  -0x1.0af1eaa91fef3p-19,
    0x1.063fbf2507f8ap-22,  -0x1.98a458b97e18cp-26, 0x1.fa7e65328f130p-30};
constexpr double kNearY0[] = {
    -0x1.876cb72f1c7ebp-2,  -0x1.a828bfbfdc936p-1, 0x1.a5a81d661f788p+0,   0x1.272bb3b608b4ep-3,
    -0x1.13da2b14a486ep+0,  0x1.58279811359ffp-1,  -0x1.c06cc647f6a9dp-3,  0x1.7bd6bf2cea1e1p-5,
    -0x1.cc70601236723p-8,  0x1.a6a8c6c8b12bdp-11, -0x1.31537c5c91ee5p-14, 0x1.651b8fa0e8b06p-18,
    -0x1.5995ab83d71d2p-22, 0x1.1997d4a6c362ap-26, -0x1.880052e0f4585p-31, 0x1.d9b425efafdd8p-36,
    -0x1.f1a7711576130p-41};
constexpr double kNearY0Short[] = {
    -0x1.876cb72c64562p-2, -0x1.a828bfc04f9fap-1, 0x1.a5a81d352f1ebp+0,   0x1.272bb3e85c072p-3,
    -0x1.13da28d9d93d5p+0, 0x1.582797ac94a62p-1,  -0x1.c06d125ae8b94p-3,  0x1.7bd6d4bb4d58dp-5,
    -0x1.cc5e0c7ecb620p-8, 0x1.a69fccb880316p-11, -0x1.35649a4058471p-14, 0x1.68b1c63f94e89p-18};
constexpr double kNearY1[] = {
    0x1.21d516f81acf6p-4,   -0x1.f26fddceafd0ep-3, 0x1.7edab31507d03p-6,   0x1.e16d7a1d07b70p-3,
    -0x1.923952d7c42a6p-3,  0x1.41bb6917b15d2p-4,  -0x1.4198f92a31f29p-6,  0x1.c097bb98fe302p-9,
    -0x1.d1604f9ccaf30p-12, 0x1.76c164b7f48bbp-15, -0x1.e35169de28d6fp-19, 0x1.ff34fd2db670dp-23,
    -0x1.c3f1d9451cc62p-27, 0x1.532ea3c457655p-31, -0x1.b5d3615d1cb65p-36, 0x1.ed24ebd671b40p-41,
    -0x1.e58358b5996e3p-46};
constexpr double kNearY1Short[] = {
    0x1.21d516f88c7e2p-4,   -0x1.f26fddcec11ffp-3, 0x1.7edab29528d5cp-6,   0x1.e16d7a1eec4b4p-3,
    -0x1.9239521d550b5p-3,  0x1.41bb68f969928p-4,  -0x1.4199120388b8dp-6,  0x1.c097c8923db77p-9,
    -0x1.d154565e1cd00p-12, 0x1.76bbfd860a493p-15, -0x1.e8a21e8e1cb71p-19, 0x1.01c33ee943bc5p-22};
constexpr double kFarP0[] = {0x1.ffb8dd328503dp-1,   -0x1.193600c1de9d9p-11, 0x1.9be00160d9865p-18,
                             -0x1.b8d2d71b30a5ep-23, 0x1.b7ef13a07a483p-27,  -0x1.4d2ea54bfc4e9p-30,
                             0x1.54dc6d1e48781p-33,  -0x1.b63f441e64847p-36, 0x1.50dad9b31dc98p-38,
                             -0x1.1de864a95f83ap-40, 0x1.143405810de71p-42,  -0x1.cdb3179595bbdp-44,
                             0x1.2cca86c6338d9p-45};
constexpr double kFarP0Short[] = {
    0x1.ffb8dd248e74fp-1, -0x1.1935f35951868p-11, 0x1.9cbe8b7395851p-18, -0x1.bc26938a82ce2p-23};
constexpr double kFarP1[] = {0x1.003b716033732p+0,   0x1.d73b8ea3c10dap-11,  -0x1.0b1541bfbbd42p-17,
                             0x1.07762654afea9p-22,  -0x1.f96172d037183p-27, 0x1.75ea62e7b87d0p-30,
                             -0x1.78b760be6538cp-33, 0x1.df1d5756e9b34p-36,  -0x1.6d4b96ca1b17cp-38,
                             0x1.3459d80b23acap-40,  -0x1.2883a97c0530ap-42, 0x1.ebf5d803cd896p-44,
                             -0x1.3f5b1671b84fbp-45};
constexpr double kFarP1Short[] = {
    0x1.003b71602d3a5p+0, 0x1.d73b7f9a8dce5p-11, -0x1.0b146327fed05p-17, 0x1.0953cdc0829efp-22,
    -0x1.01454cf5d6ac0p-26};
constexpr double kFarQ0[] = {
    -0x1.fdb5c0b2f3d5bp-7,  0x1.1e9a6138fee30p-14, -0x1.8c8435284c2e2p-20, 0x1.3135a89ef0351p-24,
    -0x1.858d1b79c15abp-28, 0x1.61a55a33a65b0p-31, -0x1.a0835f5e8cc28p-34, 0x1.2ba6741e08da4p-36,
    -0x1.f905c8fb2d9f2p-39, 0x1.e40005821f051p-41, -0x1.07b105a41fb8ap-42, 0x1.39940138bbc23p-44,
    -0x1.27d49ee4c9805p-46, 0x1.51cdfedb5101dp-48, -0x1.6d757f20d1676p-48, 0x1.351cf3ac934b3p-49};
constexpr double kFarQ0Short[] = {-0x1.fdb5c0b4b2885p-7,  0x1.1e9a61ca732b9p-14,
                                  -0x1.8c804ff9ea60ep-20, 0x1.3123b032c0d34p-24,
                                  -0x1.8fc71e52a5280p-28, 0x1.7334b27ad2886p-31};
constexpr double kFarQ1[] = {0x1.7f323705062fbp-5,   -0x1.938da0a0a6a1fp-14, 0x1.e8e009ca9282ep-20,
                             -0x1.64231273efe05p-24, 0x1.b9302a517457ap-28,  -0x1.8922fa1341065p-31,
                             0x1.c92e6248aa9afp-34,  -0x1.45d1fafbde408p-36, 0x1.10b60277006bfp-38,
                             -0x1.06a7aef913480p-40, 0x1.19dbe8941e3f7p-42,  -0x1.14bb49dd9cee7p-44,
                             0x1.3b2af8ab3c895p-46,  -0x1.e48d4f144b8b2p-47, 0x1.811d207bb2e69p-48};
constexpr double kFarQ1Short[] = {
    0x1.7f323705809fbp-5, -0x1.938d60d5f4d35p-14, 0x1.e8dbc45c7a9b1p-20, -0x1.681617e8645adp-24,
    0x1.c467999a69933p-28};
constexpr double kNearI0[] = {0x1.90eacf96209cbp+0,  0x1.458fab1e6aadcp-1,  0x1.2d6c91ded7bbbp-4,
                              0x1.017662a61f6aap-8,  0x1.f6907b53670efp-14, 0x1.3c6dcc15b0042p-19,
                              0x1.15fd645f7092bp-25, 0x1.67e5bc6df4327p-32, 0x1.6574cac34c7f0p-39,
                              0x1.18e020a5bc9efp-46};
constexpr double kNearI0Short[] = {0x1.90eacf9a78b96p+0,  0x1.458fab1eb969ep-1,
                                   0x1.2d6c8cfbbc5f4p-4,  0x1.0176616b2fd08p-8,
                                   0x1.f6c49c0eff257p-14, 0x1.3c817af4fd10bp-19};
constexpr double kNearI1[] = {0x1.458fab1e6aadcp-1,  0x1.2d6c91ded7bbbp-3,  0x1.823193f92f1ffp-7,
                              0x1.f6907b53679abp-12, 0x1.8b893f1b1c239p-17, 0x1.a0fc1684aca29p-23,
                              0x1.3ae904dcaa198p-29, 0x1.6575aa72c13f2p-36, 0x1.3bfca661b091fp-43};
constexpr double kNearI1Short[] = {0x1.458fab1f08269p-1,  0x1.2d6c91deeb482p-3,
                                   0x1.82319134918d3p-7,  0x1.f6907a1aa0a59p-12,
                                   0x1.8ba6c57dcf5c5p-17, 0x1.a10fa2f3fee93p-23};
constexpr double kNearK0[] = {0x1.9055e0acc3f54p-1,  0x1.8fff17f98db1cp-1,  0x1.f6ee0decfbda6p-4,
                              0x1.fda3752a9236cp-8,  0x1.16c5f67977b38p-12, 0x1.7dc25d01b93ecp-18,
                              0x1.660d449abe347p-24, 0x1.e8d5beb9fc715p-31, 0x1.fb93340db6e3cp-38,
                              0x1.9e4630c21dca3p-45};
constexpr double kNearK0Short[] = {
    0x1.9055e0acc3d58p-1,  0x1.8fff17fa6394bp-1,  0x1.f6ee0ded1b939p-4, 0x1.fda371d308bdbp-8,
    0x1.16c5f5dad9b33p-12, 0x1.7ddd1926ab285p-18, 0x1.661d21345ea22p-24};
constexpr double kNearK1[] = {
    -0x1.fe2890c6da2a2p-2,  -0x1.af79f608a8f1cp-3,  -0x1.5f023344d577ap-6,  -0x1.075f7adebb203p-10,
    -0x1.c9b0e44a4b580p-16, -0x1.03f05a6034c3dp-21, -0x1.a0920ce781b6cp-28, -0x1.f06e9508e08f1p-35,
    -0x1.c953e7ae9f897p-42, -0x1.4f70efe8cef15p-49};
constexpr double kNearK1Short[] = {-0x1.fe2890ca1b673p-2,  -0x1.af79f608df3efp-3,
                                   -0x1.5f022f9b73d80p-6,  -0x1.075f7a0586d0bp-10,
                                   -0x1.c9d7f2c395c18p-16, -0x1.03fded9573e3bp-21};
constexpr double kFarK0[] = {
    0x1.37f5dd35f91a9p+0,   -0x1.fd1328181db42p-6,  0x1.8d86f6465e5edp-9,  -0x1.f7130688fc4b5p-12,
    0x1.a19652e39b5bbp-14,  -0x1.9efce507df492p-16, 0x1.d5e9aa083ed64p-18, -0x1.26184ba6cdfb9p-19,
    0x1.8ec6ec3c4b708p-21,  -0x1.20bc7d7bb54dep-22, 0x1.ba2f7825a24eap-24, -0x1.6319ede5738ebp-25,
    0x1.24dfdb1060894p-26,  -0x1.f4b75e56d38b4p-28, 0x1.05b61430a4724p-28, -0x1.096311bfe068ep-29,
    0x1.a27a620088fb7p-35,  0x1.895765cf15f81p-33,  0x1.bf2aa6c8f2ba0p-31, -0x1.309f5dc83dd92p-31,
    -0x1.570a651b0e7b4p-32, 0x1.e6cf807579025p-33,  0x1.e092e5c062a6ap-34, -0x1.2feccb331b557p-34};
constexpr double kFarK0Short[] = {
    0x1.37f5dd376f355p+0,   -0x1.fd13189231086p-6,  0x1.8d866739ce5f3p-9,
    -0x1.f7456885322a4p-12, 0x1.a220f2429f220p-14,  -0x1.9422a191e3e93p-16,
    0x1.bede302282798p-18,  -0x1.905541b54f2afp-19, 0x1.269a0033f428ep-20};
constexpr double kFarK1[] = {
    0x1.5cf785b4a0203p+0,   0x1.a7520dfb3f99fp-4,   -0x1.6cd23ac7d481fp-8,  0x1.81bb397941e8bp-11,
    -0x1.24bdedb10e7bbp-13, 0x1.1383aa0a8c7e8p-15,  -0x1.2cb02f7188581p-17, 0x1.6e6b8267772a5p-19,
    -0x1.e6c91a8165bc8p-21, 0x1.5acc64dba3b9cp-22,  -0x1.060fb9f895f71p-23, 0x1.a048f5bbd6e16p-25,
    -0x1.5476a041efb61p-26, 0x1.20f1c15a56e98p-27,  -0x1.29b04b4e21d1fp-28, 0x1.2b0963ce06f6bp-29,
    -0x1.6ea19300fd755p-34, -0x1.8b6e70b6bd232p-33, -0x1.e9c15a431d7dap-31, 0x1.4c3060ce2aab2p-31,
    0x1.746164d6387e7p-32,  -0x1.07d0727819bfdp-32, -0x1.0661525866f5ap-33, 0x1.4af1aa55c043fp-34};
constexpr double kFarK1Short[] = {
    0x1.5cf785b2e97c1p+0,   0x1.a752095e664efp-4,   -0x1.6cd1e6e1e3042p-8,
    0x1.81d92f7fdd5f8p-11,  -0x1.250f47be5200cp-13, 0x1.0d0dd7c1b183cp-15,
    -0x1.1f26967b52da4p-17, 0x1.ed27c668fc461p-19,  -0x1.637a49fe1e088p-20};
constexpr double kAiryMiddle[] = {
    0x1.99d7e1e7356d6p-2,   -0x1.d71786feba8f7p-1,  0x1.0c0e2c74c6184p-2,   0x1.3f93f2bcbcaaap+0,
    -0x1.7fccfdcdd1392p+0,  0x1.a9a0a4587d11ap-4,   0x1.0764b7c24f465p+0,   -0x1.8beeb40293700p-1,
    -0x1.440284f27d63dp-5,  0x1.7b1372b58ad03p-2,   -0x1.8a74e67272f19p-3,  -0x1.b1ca0e74810bbp-6,
    0x1.2d0025035c7abp-4,   -0x1.cacf4c433f457p-6,  -0x1.82ed07ad65e56p-8,  0x1.2d3603583ab75p-7,
    -0x1.5b239108212a8p-9,  -0x1.876f62dbfaba1p-11, 0x1.9d8a266e58c49p-11,  -0x1.6e2418e1cb903p-13,
    -0x1.0668d374e9aeep-14, 0x1.9d239c5ec7652p-15,  -0x1.1a6c4a401bd0dp-17, -0x1.fb70ff2786da9p-19,
    0x1.3b561138f957cp-19,  -0x1.3efaa5372a95ep-22, -0x1.87f0ef72ee0e2p-23, 0x1.693473106c745p-24,
    -0x1.dd714066410eap-29, -0x1.92f3c8e52a532p-28, 0x1.4a28d6f3ee070p-30};
constexpr double kAiryMiddleShort[] = {
    0x1.99d7e1e9b522dp-2,   -0x1.d71786f7afd3cp-1,  0x1.0c0e2a808f8d9p-2,  0x1.3f93f2092d9e7p+0,
    -0x1.7fccedab10b7ap+0,  0x1.a9a13d829c2b3p-4,   0x1.0763e9019478dp+0,  -0x1.8bef12f310996p-1,
    -0x1.435a5a496ecaep-5,  0x1.7b13f743df46bp-2,   -0x1.8b120207185efp-3, -0x1.b140677637570p-6,
    0x1.2fcaa22b73fb9p-4,   -0x1.cd20d143d5158p-6,  -0x1.c1acdf9ca7a0fp-8, 0x1.364090ac1aec3p-7,
    -0x1.e234ddcecb402p-10, -0x1.1160438f5d466p-10, 0x1.b636927cb25dfp-12};
constexpr double kAiryFalling[] = {
    0x1.1c268c860dedep-2,   -0x1.0e2a11d741323p-8,  0x1.a2059cf7cff8dp-12, -0x1.0d97bf1ea2a6dp-14,
    0x1.cabb31c7f468ep-17,  -0x1.d3c3715117766p-19, 0x1.0faf99b98403bp-20, -0x1.5ca46fb0bfca5p-22,
    0x1.e44847ef4d113p-24,  -0x1.66ec21ba5afb9p-25, 0x1.192fdd9ecdf11p-26, -0x1.cdc6ab863557bp-28,
    0x1.831d6da6ca5f3p-29,  -0x1.501d52701f40fp-30, 0x1.76da8d9789da9p-31, -0x1.8ca0018b088a1p-32,
    -0x1.7912bf5d70e0ep-36, 0x1.f33c99e6aab74p-35,  0x1.80a707d15f9fbp-33, -0x1.0dcf550c35ebbp-33,
    -0x1.360eb8ad9ac0ep-34, 0x1.bedf800b0ac30p-35,  0x1.a1df695e9c5c3p-36, -0x1.0df80d693b25cp-36};
constexpr double kAiryFallingShort[] = {
    0x1.1c268c8702191p-2,   -0x1.0e2a07fafbff3p-8,  0x1.a204e270119dep-12,
    -0x1.0db7b4ee40587p-14, 0x1.cb6fac8c31c26p-17,  -0x1.c6065708ce432p-19,
    0x1.00b8ad03e3128p-20,  -0x1.e2908f6eeed19p-22, 0x1.6d347d92d9072p-23};
constexpr double kAiryP[] = {0x1.ffac9a04d8880p-1,   -0x1.45946c3d893e2p-11, 0x1.de715dd5edbb2p-17,
                             -0x1.e61c8246c7368p-21, 0x1.af4e846f6349cp-24,  -0x1.11977b1079ae8p-26,
                             0x1.bd83c05e6a496p-29,  -0x1.b46751775a190p-31, 0x1.ecfb3c8e8060ap-33,
                             -0x1.324bc4a48d2dcp-34, 0x1.9f56318d323b9p-36,  -0x1.831d31f567c35p-37,
                             0x1.605700f5e6bd6p-38,  0x1.f1bac0d1aec64p-43,  -0x1.1440154f43bfdp-41,
                             -0x1.3566ce6dae749p-40, 0x1.610f3f0221a77p-41};
constexpr double kAiryPShort[] = {
    0x1.ffac9a05d6d18p-1, -0x1.4593b3ec942e3p-11, 0x1.de5fc0e662880p-17, -0x1.f16a47972e4b5p-21,
    0x1.c61ba99909726p-24};
constexpr double kAiryQ[] = {
    0x1.a6c2877a8e0ddp-7,  -0x1.dd77c0c57e2c1p-14, 0x1.474bb481d8d97p-18,  -0x1.d40629cbbc051p-22,
    0x1.0417cb1d59b55p-24, -0x1.847da18354d9cp-27, 0x1.66aaa0ab4e261p-29,  -0x1.84746791b1d60p-31,
    0x1.dcaf29a0b4ff2p-33, -0x1.436553d612afbp-34, 0x1.d8db40d8c438cp-36,  -0x1.70ca9225814b3p-37,
    0x1.5bc32e291bd22p-38, -0x1.55f832a87e1ecp-39, 0x1.7174631add375p-44,  0x1.502909c274436p-42,
    0x1.328d2b4d92ac8p-40, -0x1.d2cde820645cbp-41, -0x1.0fb8f4591d2a8p-41, 0x1.af740afe1cabap-42,
    0x1.87f587c22aaf5p-43, -0x1.121e6640281f3p-43};
constexpr double kAiryQShort[] = {
    0x1.a6c2877945b06p-7,  -0x1.dd77db6160d57p-14, 0x1.474cf62cf2c8cp-18, -0x1.d336a24a0a568p-22,
    0x1.0293006ce9a74p-24, -0x1.b5da5493162c9p-27, 0x1.af78ce2b07e9fp-29};

} // namespace at::native::bessel
