import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.quantity import ZERO, Quantity

# Text and String(), written by Quantity of k8s.io/apimachinery v0.32.3 (after Mul(1), so that no text is
# remembered from parsing).
CANONICAL = (
    ("0", "0"), ("-0", "0"), ("000", "0"), ("0Ki", "0"), ("-000Mi", "0"), ("0e3", "0"), ("1", "1"),
    ("+5", "5"), ("-5", "-5"), (".5", "500m"), ("5.", "5"), ("5.Gi", "5Gi"), ("0.5", "500m"),
    ("1.5", "1500m"), ("-1.5", "-1500m"), ("00.5", "500m"), ("1n", "1n"), ("0.1n", "1n"), ("-0.1n", "-1n"),
    ("1u", "1u"), ("1000u", "1m"), ("5m", "5m"), ("0.5m", "500u"), ("1500m", "1500m"), ("1000m", "1"),
    ("-1500m", "-1500m"), ("1k", "1k"), ("1000", "1k"), ("1023", "1023"), ("1024", "1024"), ("1e3", "1e3"),
    ("1E3", "1e3"), ("1E+3", "1e3"), ("1E-3", "1e-3"), ("12e2", "1200"), ("1e4", "10e3"),
    ("123e-2", "1230e-3"), ("1e0", "1"), ("1e-5", "10e-6"), ("1e-9", "1e-9"), ("1e-10", "1e-9"),
    ("12345e5", "1234500e3"), ("1e12", "1e12"), ("1e18", "1e18"), ("10e18", "10e18"), ("1E", "1E"),
    ("1.5E", "1500P"), ("100E", "100E"), ("-100E", "-100E"), ("999E", "999E"), ("1Ki", "1Ki"),
    ("0.5Ki", "512"), ("0.1Ki", "102400m"), ("0.9Ki", "921600m"), ("1.1Ki", "1126400m"), ("1.5Ki", "1536"),
    ("-1Ki", "-1Ki"), ("-1.5Ki", "-1536"), ("-0.5Ki", "-512"), ("0.0001Ki", "102400u"),
    ("1000Ki", "1000Ki"), ("1023Ki", "1023Ki"), ("1024Ki", "1Mi"), ("1025Ki", "1025Ki"),
    ("0010Ki", "10Ki"), ("1024.5Ki", "1049088"), ("512Mi", "512Mi"), ("0.5Mi", "512Ki"), ("1024Mi", "1Gi"),
    ("1.5Gi", "1536Mi"), ("0.001Gi", "1073741824m"), ("64Gi", "64Gi"), ("2Ti", "2Ti"), ("3Pi", "3Pi"),
    ("7Ei", "7Ei"), ("8Ei", "9223372036854775807"), ("-8Ei", "-9223372036854775807"),
    ("16Ei", "9223372036854775807"), ("123456789012345678.9Gi", "9223372036854775807"),
    ("1.0000000001", "1000000001n"), ("0.3333333333333", "333333334n"),
    ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "9223372036854775808"),
    ("12345678901234567890123", "12345678901234567890123"), ("7681000", "7681k"), ("1M", "1M"),
    ("2500000", "2500k"), ("1G", "1G"), ("1T", "1T"), ("1P", "1P"), ("33", "33"), ("258Gi", "258Gi"),
    ("536870912", "536870912"), ("0.000000001", "1n"), ("1e-8", "10e-9"),
)

SUFFIXES = {
    "": Fraction(1), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000),
    "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "P": Fraction(10**15), "E": Fraction(10**18), "Ki": Fraction(2**10), "Mi": Fraction(2**20),
    "Gi": Fraction(2**30), "Ti": Fraction(2**40), "Pi": Fraction(2**50), "Ei": Fraction(2**60),
    "e3": Fraction(10**3), "E-2": Fraction(1, 100), "e+1": Fraction(10),
}


def value(quantity: Quantity) -> Fraction:
    """Read a canonical text without the code under test."""
    text = quantity.canonical()
    number = text.rstrip("numkKMGTPEi") if "e" not in text else text.partition("e")[0]
    suffix = text[len(number):]
    scale = Fraction(10) ** int(suffix[1:]) if suffix.startswith("e") else SUFFIXES[suffix]
    return Fraction(number) * scale


# Sign, number, suffix. Without Pi and Ei, so that no binary amount reaches the cap.
parts = st.tuples(
    st.sampled_from(["", "+", "-"]),
    st.builds("{}{}".format, st.integers(0, 8 * 10**6),
              st.sampled_from(["", ".", ".5", ".25", ".125", ".001", ".123456789", ".9999999999"])),
    st.sampled_from([suffix for suffix in SUFFIXES if suffix not in ("Pi", "Ei")]),
)
quantities = parts.map("".join).map(Quantity.parse)
amounts = quantities.filter(lambda quantity: quantity >= ZERO)


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_spells_as_the_api_server_does(text, canonical):
    assert Quantity.parse(text).canonical() == canonical


@pytest.mark.parametrize(("text", "canonical"), [("1000E", "1000E"), ("5000E", "5000E"), ("-1000E", "-1000E")])
def test_keeps_the_suffix_above_exa_where_go_loses_it(text, canonical):
    # Go prints 1, 5 and -1.
    assert Quantity.parse(text).canonical() == canonical


def test_keeps_the_suffix_above_exbi_where_go_loses_it():
    assert (Quantity.parse("1Ei") * 1024).canonical() == "1024Ei"


@pytest.mark.parametrize(("number", "canonical"), [(0, "0"), (8, "8"), (1000, "1k"), (1024, "1024"), (-3, "-3")])
def test_reads_whole_numbers(number, canonical):
    assert Quantity.parse(number).canonical() == canonical


def test_exa_is_a_suffix_and_an_exponent_needs_digits():
    assert Quantity.parse("1E") == Quantity.parse("1e18")
    assert Quantity.parse("1E3") == Quantity.parse(1000)


@pytest.mark.parametrize("text", [
    "", " ", ".", "+", "-", "1e", "1E+", "1e1.5", "1K", "1ki", "1mi", "500mi", "1 Gi", "1GB", "1Gi ", "1Gi\n", "1,5",
    "1_000", "0x10", "１", "Gi", "--1", "1.2.3", "NaN", "inf", "1E3i", "1Kim",
])
def test_refuses_what_is_no_quantity_and_says_what_would_be_right(text):
    with pytest.raises(ValueError, match=r"is no quantity: write .* such as 500m or 64Gi"):
        Quantity.parse(text)


@pytest.mark.parametrize("wrong", [0.5, 1.0, True, None, [], {}, b"1"])
def test_refuses_what_is_neither_text_nor_whole_number(wrong):
    with pytest.raises(ValueError, match=r'write a whole number, or a text such as "500m"'):
        Quantity.parse(wrong)


@pytest.mark.parametrize("hostile", [
    "1e999999999", "1e99999999999999999999999999", "-1E+999999999", "9" * 99, "9" * 100_000, 10**60, "1e31",
    "0." + "0" * 200_000 + "1", "1e" + "9" * 90,
])
def test_refuses_what_no_cluster_can_have(hostile):
    with pytest.raises(ValueError, match="is no quantity") as refused:
        Quantity.parse(hostile)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("tiny", ["1e-999999999", "1e-" + "9" * 90, "0.0000000000001", "123e-40"])
def test_rounds_whatever_is_too_small_up_to_one_nano(tiny):
    assert Quantity.parse(tiny) == Quantity.parse("1n")
    assert Quantity.parse("-" + tiny) == Quantity.parse("-1n")


def test_zero_with_a_huge_exponent_is_zero():
    assert Quantity.parse("0e999999999") == ZERO


@pytest.mark.parametrize(("one", "other", "total"), [
    ("1Gi", "1Gi", "2Gi"), ("512Mi", "512Mi", "1Gi"), ("1Ki", "1k", "2024"), ("1Ki", "1024", "2048"), ("0", "1Gi", "1Gi"), ("0", "1k", "1k"),
    ("0k", "1024Ki", "1Mi"), ("500m", "500m", "1"), ("1e3", "1k", "2k"), ("1e3", "1e3", "2k"), ("1Gi", "0.5", "1073741824500m"),
])
def test_a_sum_is_binary_only_if_all_operands_are(one, other, total):
    assert (Quantity.parse(one) + Quantity.parse(other)).canonical() == total
    assert (Quantity.parse(other) + Quantity.parse(one)).canonical() == total


def test_the_sum_that_the_operator_spells_by_chance_has_one_spelling():
    # mpi-operator wrote 7681000 in one run and 7681k in the next.
    assert (Quantity.parse("1k") + Quantity.parse("2500Ki") * 3).canonical() == "7681k"


def test_equal_values_are_equal_whatever_their_spelling():
    assert Quantity.parse("1Ki") == Quantity.parse(1024) == Quantity.parse("1.024k")
    assert len({Quantity.parse("1"), Quantity.parse("1000m"), Quantity.parse("1e0")}) == 1
    assert Quantity.parse("1") != "1"


def test_orders_by_value():
    ordered = ["-1Ki", "-1", "0", "1n", "1u", "1m", "1", "1k", "1Ki", "1M", "1Mi", "1E", "1Ei"]
    assert sorted(map(Quantity.parse, reversed(ordered))) == list(map(Quantity.parse, ordered))
    assert max(Quantity.parse("1G"), Quantity.parse("1Gi")).canonical() == "1Gi"


def test_only_zero_is_false():
    assert not Quantity.parse("0Ki")
    assert Quantity.parse("1n")
    assert Quantity.parse("-1n")


def test_cannot_be_changed():
    with pytest.raises(AttributeError, match="immutable"):
        Quantity.parse(1)._nanos = 2  # type: ignore[misc]


def test_survives_pickling_and_shows_itself():
    quantity = Quantity.parse("1Gi")
    copy = pickle.loads(pickle.dumps(quantity))
    assert (copy, copy.canonical(), repr(copy)) == (quantity, "1Gi", "Quantity(1Gi)")


@given(parts)
def test_value_is_the_text_rounded_up_to_nano(written):
    sign, number, suffix = written
    nanos = Fraction(number.rstrip(".")) * SUFFIXES[suffix] * 10**9
    rounded = Fraction(math.ceil(nanos), 10**9)
    assert value(Quantity.parse("".join(written))) == (-rounded if sign == "-" else rounded)


@given(quantities)
def test_canonical_spelling_reads_back_as_the_same_value_and_spelling(quantity):
    again = Quantity.parse(quantity.canonical())
    assert again == quantity
    assert again.canonical() == quantity.canonical()


@given(quantities, quantities)
def test_adds_exactly(one, other):
    assert value(one + other) == value(one) + value(other)


@given(quantities, quantities, quantities)
def test_sums_are_spelt_alike_in_whatever_order(one, two, three):
    spellings = {(one + two + three).canonical(), (one + (two + three)).canonical(), (three + one + two).canonical()}
    assert len(spellings) == 1


@given(quantities, st.integers(0, 10**6))
def test_multiplies_exactly(quantity, times):
    assert value(quantity * times) == value(quantity) * times


@given(quantities, quantities)
def test_compares_as_fractions_do(one, other):
    assert (one < other, one == other, one > other) == (
        value(one) < value(other), value(one) == value(other), value(one) > value(other))
    assert one != other or hash(one) == hash(other)


@given(amounts, amounts)
def test_a_sum_of_amounts_is_not_below_any_of_them(one, other):
    assert one + other >= max(one, other)
