"""How far each rule can be trusted, as measured.

A rule's confidence is the share of what it found that annotators relate too, on gold mentions of two public sets of
different kinds together: CoNLL04 train (news, five relations) and Re-DocRED dev (encyclopedia, 96 relations). Both
annotate some kinds of relations only, so the share is a lower bound of how often the rule is right, and fair between
rules rather than in itself: "X visited Y" is as true as "X, director of Y", but seldom annotated. Shares of few cases
are drawn towards one half, as if five more had been seen, half of them right. ``benchmarks/bench_relations.py
--table`` prints the figures anew.

What a pronoun or a noun stands for is resolved by rule, and costs its own measured share on top (.92 and .89). The
other ways that rules are reached were measured at .7 (through "as") to 1.2 times (through a relative clause) their
rule's share; they are not told apart.
"""

from __future__ import annotations

__all__ = ["LOW", "WAYS", "confidence_of", "rule_of"]

LOW = 0.45
"""Below it, a statement is more a hint than a finding."""

WAYS = ("pronoun", "noun", "through", "clause", "copula", "apposition", "noun_apposition", "role")
"""What may stand before a rule's name in a pattern, such as ``pronoun.clause.verb_prep``."""

_STANDS_IN = {"pronoun": 0.92, "noun": 0.89}
_SEEN, _HALF = 5, 2.5

_MEASURED: dict[str, tuple[int, float]] = {
    # rule: (pairs found, share that the gold relates)
    "noun_prep": (752, 0.58),  # X, director of Y; X is the director of Y
    "verb_prep": (712, 0.38),  # X worked at Y
    "passive_prep": (529, 0.52),  # X was born in Y
    "subject_verb_object": (483, 0.52),  # X founded Y
    "verb_prep_prep": (406, 0.41),  # X studied at the university of Y
    "modifier": (359, 0.74),  # X, a Y executive
    "place_comma": (308, 0.82),  # Ulm, Germany
    "verb_object_prep": (309, 0.28),  # X wrote a report on Y
    "passive_agent": (288, 0.57),  # X was founded by Y
    "possessive": (300, 0.64),  # Y's X; X, Y's director
    "bracketed_date": (249, 0.83),  # X (1815-1852)
    "name_prep.in": (250, 0.66),  # X in Y
    "adjunct_date": (242, 0.69),  # X was founded in 1911
    "name_prep.of": (170, 0.65),  # X of Y
    "title": (186, 0.80),  # Y executive X
    "group": (223, 0.82),  # X is a German engineer (measured on the recogniser's own names)
    "title.group": (56, 0.66),  # German engineer X (likewise)
    "noun_prep_modifier": (133, 0.56),  # X is a professor in the Y department
    "place_before": (118, 0.67),  # Jakarta Radio Network
    "noun_prep_prep": (111, 0.55),  # X is a village in the district of Y
    "possessed_prep": (84, 0.37),  # X's contract with Y
    "copula": (61, 0.28),  # X is Y
    "verb_prep_possessive": (64, 0.39),  # X was convicted of Y's murder
    "verb_object_possessive": (60, 0.43),  # X led Y's army
    "place_of": (44, 0.91),  # the German city of X
    "copula_prep": (34, 0.56),  # X is in Y
    "inverse_copula": (42, 0.57),  # the director of Y is X
    "place_list": (41, 0.88),  # as place_comma, where the parser saw a list
    "comma_body": (35, 0.66),  # Boston, Acme Laboratories
    "adjective": (33, 0.30),  # X is famous for Y
    "object_date": (35, 0.34),  # they released X in 1990
    "object_place": (3, 1.00),  # they opened X in Y
    "date_before": (31, 0.35),  # the 1990 X
    "date_modifier": (29, 0.97),  # X is a 1990 film
    "person_comma": (24, 0.75),  # X, Berlin
    "name_prep.other": (28, 0.25),  # X on Y
    "prep_prep_place": (24, 0.92),  # the municipality of X in Y
    "body_comma": (22, 0.77),  # Acme Laboratories, Boston
    "name_prep.at": (20, 0.45),
    "name_prep.for": (17, 0.35),
    "object_complement": (21, 0.43),  # they named X director of Y
    "name_prep.with": (18, 0.44),
    "compound_in": (17, 0.41),  # the Y plant in X
    "object_clause": (16, 0.56),  # Y, which X founded
    "object_control": (7, 0.29),  # they forced X to join Y
    "name_prep.by": (8, 0.25),
    "based": (7, 0.71),  # Y-based X
    "name_prep.from": (6, 0.17),
    "body_before": (5, 0.80),  # Acme's Smith
    "action_noun": (2, 1.00),  # the acquisition of X by Y
}
_JUDGED = {
    # the gold holds both names for one entity, so that there is nothing to measure
    "abbreviation": 0.9,  # Computing Research Association (CRA)
    "alias": 0.7,  # X, known as Y
}


def rule_of(pattern: str) -> str:
    """Give the rule's own name, without the ways that led to it.

    Examples:
        >>> rule_of("pronoun.clause.verb_prep"), rule_of("name_prep.in")
        ('verb_prep', 'name_prep.in')
    """
    way, _, rest = pattern.partition(".")
    return rule_of(rest) if way in WAYS and rest else pattern


def confidence_of(pattern: str) -> float:
    """Give a pattern's confidence, between 0 and 1.

    Examples:
        >>> confidence_of("place_comma") > confidence_of("verb_prep") > confidence_of("pronoun.verb_prep")
        True
    """
    rule = rule_of(pattern)
    if rule in _JUDGED:
        base = _JUDGED[rule]
    else:
        n, share = _MEASURED[rule]
        base = (n * share + _HALF) / (n + _SEEN)
    for way, factor in _STANDS_IN.items():
        if way in pattern.split("."):
            base *= factor
    return round(base, 2)
