//! Words that cannot be names of variables in a language of assertions: its keywords, and the names that the lines
//! before the assertions use.

use crate::assertion::Language;

const C: &str = "\
    alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float \
    for goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch \
    thread_local true typedef typeof typeof_unqual union unsigned void volatile while _Alignas _Alignof _Atomic _BitInt \
    _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm \
    assert fabs fmax INFINITY isfinite log main NAN NULL pow sqrt gw_near";

const PYTHON: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda nonlocal not or pass raise return try while with yield __debug__ abs float max math gw_log \
    gw_near gw_pow gw_sqrt";

const SYSTEM_VERILOG: &str = "\
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins \
    binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const \
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge \
    else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule \
    endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect \
    export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global \
    highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input \
    inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local \
    localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor \
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program \
    property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase \
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 \
    rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled \
    signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 \
    sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 \
    tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var \
    vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor gw_abs \
    gw_finite gw_ln gw_max gw_near gw_sqrt";

/// True when a word is no name of a variable in a language.
pub fn is_reserved(word: &str, language: Language) -> bool {
    let words = match language {
        Language::C => C,
        Language::Python => PYTHON,
        Language::SystemVerilog => SYSTEM_VERILOG,
    };
    words.split_ascii_whitespace().any(|reserved| reserved == word)
}
