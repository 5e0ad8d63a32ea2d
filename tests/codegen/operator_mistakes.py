"""Mistakes in native_functions.yaml and tags.yaml: the text, the position, and the message."""

from __future__ import annotations

FINE = "- func: ok(Tensor self) -> Tensor\n"
OWN = FINE + "  dispatch:\n    CPU: ok\n"
GROUP = """\
- func: s(Tensor self, int n=0) -> Tensor
  structured_delegate: s.out
- func: s.out(Tensor self, int n=0, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: s_out
"""

SCHEMA_MISTAKES = [
    ("- func: f(Tensr self) -> Tensor\n", 1, 11, 'unknown type "Tensr" (did you mean "Tensor"?)'),
    ("- func: f(Tensor self, Itn n) -> Tensor\n", 1, 24, '"Itn" (did you mean "int"?)'),
    ("- func: f(Tensor self) -> Tensro\n", 1, 27, 'unknown type "Tensro" (did you mean "Tensor"?)'),
    ("- func: f(Tensor self -> Tensor\n", 1, 10, "this parenthesis is not closed"),
    ("- func: f(Tensor self) -> (Tensor, Tensor\n", 1, 27, "parenthesis is not closed"),
    ("- func: f(Tensor self)\n", 1, 23, 'expected " -> "'),
    ("- func: f(Tensor self) ->Tensor\n", 1, 23, 'expected " -> "'),
    ("- func: f Tensor\n", 1, 9, "a schema needs its arguments in parentheses"),
    ("- func: 2f(Tensor self) -> Tensor\n", 1, 9, '"2f" is not an operator name'),
    ("- func: f.(Tensor self) -> Tensor\n", 1, 10, '"" is not an overload name'),
    ("- func: f.a-b(Tensor self) -> Tensor\n", 1, 10, '"a-b" is not an overload name'),
    ("- func: f(Tensor self, Tensor self) -> Tensor\n", 1, 24, 'duplicate argument "self"'),
    ("- func: f(Tensor self, n) -> Tensor\n", 1, 24, "expected an argument: Type name"),
    ("- func: f(Tensor 1x) -> Tensor\n", 1, 18, '"1x" is not an argument name'),
    ("- func: f(int  x) -> Tensor\n", 1, 11, '"int " is not a type'),
    ("- func: f(Tensor self,int n) -> Tensor\n", 1, 23, "write this schema as: "),
    ("- func: f(Tensor self, *) -> Tensor\n", 1, 24, "no argument follows the *"),
    ("- func: f(int a, *, int b, *, int c) -> ()\n", 1, 28, "a second *"),
    ("- func: f(int[2 x) -> Tensor\n", 1, 14, "this bracket is not closed"),
    ("- func: f(int[-1] x) -> Tensor\n", 1, 11, '"int[-1]" is not a type'),
    ("- func: f(int[][] x) -> Tensor\n", 1, 11, 'there is no type "int[][]"'),
    ("- func: f(str x='a) -> Tensor\n", 1, 17, "this string is not closed"),
    ("- func: f(int x=) -> Tensor\n", 1, 16, "a default value is missing after ="),
    ("- func: f(int class) -> Tensor\n", 1, 11, '"class" is a keyword of C++'),
    (
        f"- func: {'f' * 151}(Tensor self) -> Tensor\n",
        1,
        9,
        "too long for a file name: 151 characters",
    ),
    ("- func: f_(Tensor self) -> Tensor\n", 1, 9, "an in-place operator must write its self"),
]

ALIAS_MISTAKES = [
    ("- func: f(Tensor(A!) self) -> Tensor\n", 1, 18, '"A!" is not an alias annotation'),
    ("- func: f(int(a!) n) -> Tensor\n", 1, 14, "only a Tensor can be annotated"),
    ("- func: f(Tensor self) -> Tensor(a)\n", 1, 27, 'no argument has the alias "a"'),
    ("- func: f(Tensor(a) self) -> Tensor\n", 1, 11, 'no result has the alias "a" of "self"'),
    ("- func: f(Tensor(a) self) -> Tensor(a!)\n", 1, 30, 'write "a!" both on "self" and here'),
    (
        "- func: f(Tensor(a!) x, Tensor(a!) y) -> ()\n",
        1,
        25,
        'the alias "a" already belongs to "x"',
    ),
    (
        "- func: f_(Tensor(a!) self) -> Tensor\n",
        1,
        32,
        "an in-place operator must return its self, Tensor(a!), or ()",
    ),
    (
        "- func: ok.out(Tensor self, *, Tensor(a!) out) -> Tensor\n" + FINE,
        1,
        51,
        "an out= operator must return what it writes, in that order: Tensor(a!)",
    ),
]

DEFAULT_MISTAKES = [
    ("- func: f(int n=1.5) -> ()\n", 1, 17, '"1.5" is not a default value of int'),
    ("- func: f(int n=None) -> ()\n", 1, 17, "expected a whole number"),
    ("- func: f(bool b=yes) -> ()\n", 1, 18, "expected True or False"),
    ("- func: f(float p=half) -> ()\n", 1, 19, "expected a number"),
    ("- func: f(str s=mean) -> ()\n", 1, 17, "expected a string in quotes"),
    ("- func: f(int[] d=0) -> ()\n", 1, 19, "expected a list such as [] or [0,1]"),
    ("- func: f(int[2] d=x) -> ()\n", 1, 20, "a whole number or a list"),
    ("- func: f(Tensor t=None) -> ()\n", 1, 20, "only Tensor? can have one, None"),
    ("- func: f(Generator? g=0) -> ()\n", 1, 24, "expected None"),
    (
        "- func: f(int a=0, int b) -> ()\n",
        1,
        20,
        '"b" needs a default, because "a" before it has one',
    ),
]

FIELD_MISTAKES = [
    (FINE + "  varients: method\n", 2, 3, 'unknown field "varients" (did you mean "variants"?)'),
    (FINE + "  variants: methods\n", 2, 13, 'unknown variant "methods" (did you mean "method"?)'),
    ("- func: f(int x) -> int\n  variants: method\n", 2, 13, "a method needs an argument named"),
    (FINE + "  dispatch:\n    CPV: ok\n", 3, 5, 'unknown dispatch key "CPV" (did you mean "CPU"?)'),
    (FINE + "  dispatch:\n    CPU, Mta: ok\n", 3, 10, 'unknown dispatch key "Mta"'),
    (FINE + "  dispatch:\n    CPU: o-k\n", 3, 10, "is not the name of a C++ function"),
    (FINE + "  dispatch:\n    CPU, CPU: ok\n", 3, 10, 'duplicate kernel for "CPU"'),
    (FINE + "  dispatch:\n", 2, 3, '"dispatch" takes lines of the form `key: value`'),
    (FINE + "  dispatch: CPU\n", 2, 3, '"dispatch" takes lines of the form `key: value`'),
    (
        FINE + "  dispatch:\n    CompositeImplicitAutograd: a\n    CompositeExplicitAutograd: b\n",
        2,
        3,
        "both serve every backend; keep one of them",
    ),
    (FINE + "  tags: [core, pointwize]\n", 2, 16, 'unknown tag "pointwize" (did you mean "pointw'),
    (FINE + "  device_check: Never\n", 2, 17, 'unknown device_check "Never"'),
    (FINE + "  device_guard: off\n", 2, 17, '"device_guard" must be True or False, not "off"'),
    (FINE + "  python_module: lingalg\n", 2, 18, '"lingalg" (did you mean "linalg"?)'),
    (FINE + "  category_override: factori\n", 2, 22, '"factori" (did you mean "factory"?)'),
    (FINE + "  cpp_no_default_args: [slef]\n", 2, 25, 'no argument "slef" (did you mean "self"?)'),
    (FINE + "  cpp_no_default_args: [self]\n", 2, 25, '"self" has no default value'),
    (FINE + "  variants: {a: b}\n", 2, 3, '"variants" takes a list'),
    (FINE + "  tags: core\n  tags: core\n", 3, 3, 'duplicate "tags" in one entry'),
    (OWN + "  autogen: ok.aut\n", 4, 12, 'cannot generate "ok.aut": autogen can add ok.out'),
    (FINE + "  autogen: ok-out\n", 2, 12, '"ok-out" is not an operator name'),
    (FINE + "  structured_inherits: TensorIteratorBase\n", 2, 3, "needs `structured: True`"),
    ("- fnc: f() -> ()\n", 1, 3, 'unknown field "fnc" (did you mean "func"?)'),
    ("- variants: method\n", 1, 1, "an entry needs a schema"),
]

STRUCTURE_MISTAKES = [
    (FINE + "  structured: yes\n", 2, 15, "True or False"),
    (FINE + "  structured: True\n", 1, 9, "only an out= operator can be structured"),
    (FINE + "  structured_delegate: nope.out\n", 2, 24, 'no structured operator "nope.out"'),
    (
        GROUP.replace("delegate: s.out", "delegate: s.uot"),
        2,
        24,
        'no structured operator "s.uot" (did you mean "s.out"?)',
    ),
    (
        GROUP.replace("  structured: True\n", ""),
        2,
        24,
        '"s.out" (line 3) is not structured: it needs `structured: True`',
    ),
    (
        GROUP.replace("out(Tensor self, int n=0", "out(Tensor self, float n=0"),
        2,
        24,
        '"s.out" differs in arguments or results from "s"',
    ),
    (
        GROUP.replace("  structured_delegate: s.out\n", ""),
        2,
        9,
        'no functional operator delegates to the structured "s.out"',
    ),
    (
        GROUP.replace("  dispatch:\n    CPU: s_out\n", ""),
        3,
        9,
        "a structured operator needs a kernel",
    ),
    (
        GROUP.replace("delegate: s.out\n", "delegate: s.out\n  dispatch:\n    CPU: s\n"),
        3,
        3,
        "the operator it delegates to already provides the kernel for CPU",
    ),
    (
        GROUP + "  structured_delegate: s.out\n",
        3,
        9,
        "an operator cannot both be structured and delegate to a structured one",
    ),
    (GROUP + "  variants: function, method\n", 7, 23, "an out= operator cannot be a method"),
    (
        GROUP + "  precomputed:\n  - m -> int m2\n",
        8,
        5,
        'no argument "m"',
    ),
    (GROUP + "  precomputed:\n  - n -> int\n", 8, 10, "expected an argument: Type name"),
    (
        GROUP + "  precomputed:\n  - n -> int self\n",
        7,
        3,
        'precomputed adds a second argument "self"',
    ),
    (GROUP + "  precomputed: n -> int m\n", 7, 3, "precomputed takes a list"),
    (GROUP + "  structured_inherits: TensorIterator\n", 7, 24, 'mean "TensorIteratorBase"?'),
    (
        GROUP + "  ufunc_inner_loop:\n    Generic: s (Intgral)\n",
        8,
        17,
        'unknown dtypes "Intgral" (did you mean "Integral"?)',
    ),
]

FAMILY_MISTAKES = [
    (FINE + FINE, 2, 9, '"ok" is already declared at line 1'),
    (
        FINE + "- func: ok.x(Tensor self) -> int\n",
        2,
        9,
        'C++ cannot distinguish "ok.x" from "ok" (line 1): both take (Tensor)',
    ),
    (
        "- func: a.b_c(int x) -> ()\n- func: a_b.c(int x) -> ()\n",
        2,
        9,
        '"a_b.c" and "a.b_c" (line 1) are both "a_b_c" in C++',
    ),
    (
        FINE + "- func: ok.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)\n",
        2,
        9,
        'no functional form with the same arguments and results; there is "ok" (line 1)',
    ),
    (
        "- func: g.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
        1,
        9,
        "there is none with its name",
    ),
    (
        "- func: f_(Tensor(a!) self) -> Tensor(a!)\n  autogen: f.out\n  dispatch:\n    CPU: f_\n",
        2,
        12,
        '"f.out" is generated from "f", which autogen must name too',
    ),
]

YAML_MISTAKES = [
    (FINE + "  tags: [core\n", 3, 1, "invalid YAML"),
    (FINE + "\ttags: core\n", 2, 1, "invalid YAML"),
    ("func: f() -> ()\n", 1, 1, "this file must be a list of entries"),
    ("- f() -> ()\n", 1, 3, "an entry must be a mapping of fields to values"),
    ("- func: &a f() -> ()\n", 1, 9, "anchors and aliases"),
    (FINE + "  tags: *core\n", 2, 9, "anchors and aliases"),
    ("- func: !!str f() -> ()\n", 1, 9, "tags (!) are not supported"),
    (FINE + "  tags: [[core]]\n", 2, 10, "expected a plain value here"),
    (FINE + "---\n" + FINE, 2, 1, "a second document"),
    (FINE + "  tags: " + "[" * 100 + "\n", 2, 60, "this is nested too deeply"),
    (
        '- func: "f(Tensor self,\n    Tensr other) -> Tensor"\n',
        2,
        5,
        'unknown type "Tensr"',
    ),
    ("- func: >\n    f(Tensor self, Tensr other) -> Tensor\n", 2, 20, 'unknown type "Tensr"'),
]

OPERATOR_MISTAKES = [
    *SCHEMA_MISTAKES,
    *ALIAS_MISTAKES,
    *DEFAULT_MISTAKES,
    *FIELD_MISTAKES,
    *STRUCTURE_MISTAKES,
    *FAMILY_MISTAKES,
    *YAML_MISTAKES,
]

TAG_MISTAKES = [
    ("- tga: core\n  desc: x\n", 1, 3, 'unknown field "tga" (did you mean "tag"?)'),
    ("- desc: x\n", 1, 1, "a tag entry needs a name: `tag: name`"),
    ("- tag: core\n", 1, 8, 'tag "core" needs a description, `desc:`'),
    ("- tag: core\n  desc: [x]\n", 1, 8, 'tag "core" needs a description, `desc:`'),
    ("- tag: a-b\n  desc: x\n", 1, 8, '"a-b" is not the name of a tag'),
    ("- tag: a\n  desc: x\n- tag: a\n  desc: y\n", 3, 8, 'duplicate tag "a"'),
    ("- tag: [a\n  desc: x\n", 2, 7, "invalid YAML"),
]
