"""Polarity, on sentences of many forms: what is denied, left open or only reported never comes out as asserted."""

from __future__ import annotations

import pytest
from marked import triples, triples_of

NEGATED = """
[Grace Hopper|P] did not join [IBM|O].
[Grace Hopper|P] never worked at [Harvard|O].
[Grace Hopper|P] no longer works at [Harvard|O].
[Grace Hopper|P] wasn't born in [London|L].
[Grace Hopper|P] was not the director of [Bell Labs|O].
[Grace Hopper|P] is no director of [Bell Labs|O].
Konrad Zuse denied that [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P] failed to join [IBM|O].
[Grace Hopper|P] refused to work for [IBM|O].
[Grace Hopper|P] declined to join [Harvard|O].
Neither [Grace Hopper|P] nor Alan Turing joined [IBM|O].
[Grace Hopper|P] neither joined [IBM|O] nor visited Harvard.
[IBM|O] was not founded by [Grace Hopper|P].
[IBM|O] was never acquired by [Intel|O].
[Grace Hopper|P] left London without visiting [IBM|O].
Alan Turing said that [Grace Hopper|P] did not found [IBM|O].
If Alan Turing is right, [Grace Hopper|P] did not found [IBM|O].
[Grace Hopper|P] might not have joined [IBM|O].
[Grace Hopper|P] would not join [IBM|O].
[Grace Hopper|P] does not want to join [IBM|O].
Alan Turing did not believe that [Grace Hopper|P] had founded [IBM|O].
[Grace Hopper|P] is not believed to have founded [IBM|O].
It is not true that [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P], who never worked for [IBM|O], lived in London.
[Grace Hopper|P], who did not found [IBM|O], was famous.
[Grace Hopper|P] hardly worked for [IBM|O].
[Grace Hopper|P] was prevented from joining [IBM|O].
Instead of joining [IBM|O], [Grace Hopper|P] went home.
Rather than join [IBM|O], [Grace Hopper|P] went home.
[Grace Hopper|P] cannot join [IBM|O].
[Grace Hopper|P] has not yet joined [IBM|O].
[Grace Hopper|P] joined Harvard, but did not join [IBM|O].
Nor did [Grace Hopper|P] join [IBM|O].
Never had [Grace Hopper|P] visited [London|L].
[Grace Hopper|P] didn't found or lead [IBM|O].
[IBM|O] did not acquire [Intel|O] and sell Univac.
Alan Turing disputed that [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P] rejected an offer to join [IBM|O].
[Grace Hopper|P] was not employed by [IBM|O].
[Grace Hopper|P] isn't a member of [IBM|O].
[Grace Hopper|P] has no ties with [IBM|O].
[Grace Hopper|P] stopped working for [IBM|O].
[Grace Hopper|P] was unable to join [IBM|O].
[Grace Hopper|P] has yet to join [IBM|O].
[Grace Hopper|P], not a member of [IBM|O], lived in London.
[IBM|O] lost its bid to acquire [Intel|O].
Contrary to reports, [Grace Hopper|P] never founded [IBM|O].
[Grace Hopper|P] did not, as is often claimed, found [IBM|O].
At no time did [Grace Hopper|P] work for [IBM|O].
It was not [Grace Hopper|P] who founded [IBM|O].
There is no evidence that [Grace Hopper|P] founded [IBM|O].
It is false that [Grace Hopper|P] founded [IBM|O].
Alan Turing doubts that [Grace Hopper|P] founded [IBM|O].
Grace Hopper opposed the acquisition of [Intel|O] by [IBM|O].
The acquisition of [Intel|O] by [IBM|O] was cancelled.
The acquisition of [Intel|O] by [IBM|O] never happened.
The acquisition of [Intel|O] by [IBM|O] failed.
[IBM|O] abandoned plans to acquire [Intel|O].
[IBM|O] dropped its plan to buy [Intel|O].
[Grace Hopper|P] was not born in [London|L] but in Berlin.
[Grace Hopper|P] was born in Berlin, not in [London|L].
[Grace Hopper|P] worked for IBM, not for [Intel|O].
[Grace Hopper|P] worked for IBM but not for [Intel|O].
[IBM|O], which had not acquired [Intel|O], bought Univac.
[Grace Hopper|P] isn't and never was employed by [IBM|O].
None of them said [Grace Hopper|P] had joined [IBM|O].
Nobody believes that [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P] ceased to work for [IBM|O].
[Grace Hopper|P] cannot have founded [IBM|O].
[Grace Hopper|P] forgot to visit [London|L].
[Grace Hopper|P] is not, and has never been, the director of [Bell Labs|O].
[Grace Hopper|P] didn't ever live in [Berlin|L].
Without having visited [London|L], [Grace Hopper|P] returned.
[Grace Hopper|P] had never before worked in [Germany|L].
Few believed it, but [Grace Hopper|P] did not join [IBM|O].
[Grace Hopper|P] is by no means the founder of [IBM|O].
[Marie Curie|P] had never lectured at [Oxford|O].
[Siemens|O] has not bought [Nokia|O], the chairman said.
[Edison|P] did not invent the telephone with [Bell|P].
The firm [Nokia|O] was not sold to [Microsoft|O].
[Thomas Watson|P] isn't buried in [Dayton|L].
[Maria Rossi|P] was neither born nor raised in [Milan|L].
Despite the rumours, [Nokia|O] did not merge with [Siemens|O].
[Linus Pauling|P] was denied a visa and could not travel to [London|L].
[Maria Rossi|P] turned down the offer and never went to [Milan|L].
Contrary to popular belief, [Edison|P] was not born in [New Jersey|L].
[Nokia|O] no longer employs [Maria Rossi|P].
[Maria Rossi|P] is not related to [Linus Pauling|P].
[Edison|P] refused to sell his patents to [Siemens|O].
The ministry denied that [Siemens|O] had bribed [Maria Rossi|P].
It isn't true that [Edison|P] worked with [Marie Curie|P].
[Siemens|O] failed to acquire [Nokia|O] in the end.
[Edison|P], who had not studied at [Oxford|O], was self-taught.
[Edison|P] couldn't persuade [Marie Curie|P].
Neither [Siemens|O] nor [Nokia|O] sued [Microsoft|O].
[Marie Curie|P] left without thanking [Edison|P].
[Marie Curie|P] hasn't yet been invited by [Oxford|O].
The court found that [Edison|P] had not defrauded [Siemens|O].
[Microsoft|O] never intended to buy [Nokia|O].
"""

CONDITIONAL = """
[Grace Hopper|P] might join [IBM|O].
[Grace Hopper|P] may have worked at [Harvard|O].
[Grace Hopper|P] could have joined [IBM|O].
[Grace Hopper|P] would have joined [IBM|O].
If [Grace Hopper|P] joined [IBM|O], Alan Turing would leave.
[Grace Hopper|P] would join [IBM|O] if they asked her.
Unless [Grace Hopper|P] joins [IBM|O], the project will end.
[Grace Hopper|P] planned to join [IBM|O].
[Grace Hopper|P] wanted to work at [Harvard|O].
[Grace Hopper|P] hoped to visit [London|L].
[Grace Hopper|P] tried to join [IBM|O].
Grace Hopper hopes that [IBM|O] will acquire [Intel|O].
[IBM|O] plans to acquire [Intel|O].
[IBM|O] will acquire [Intel|O].
[IBM|O] is going to acquire [Intel|O].
[IBM|O] is likely to acquire [Intel|O].
[IBM|O] is expected to acquire [Intel|O].
[IBM|O] considered acquiring [Intel|O].
Perhaps [Grace Hopper|P] joined [IBM|O].
Maybe [IBM|O] acquired [Intel|O].
Did [Grace Hopper|P] join [IBM|O]?
Has [IBM|O] acquired [Intel|O]?
Alan Turing asked whether [Grace Hopper|P] had joined [IBM|O].
Had [Grace Hopper|P] joined [IBM|O], Alan Turing would have stayed.
Were [Grace Hopper|P] to join [IBM|O], Alan Turing would stay.
The proposed acquisition of [Intel|O] by [IBM|O] was discussed.
[IBM|O] made an attempt to acquire [Intel|O].
Alan Turing asked [Grace Hopper|P] to join [IBM|O].
[Grace Hopper|P] was invited to join [IBM|O].
[Grace Hopper|P] should join [IBM|O].
[Grace Hopper|P] must have worked at [Harvard|O].
[Grace Hopper|P] seems to have worked at [Harvard|O].
Provided that [IBM|O] acquires [Intel|O], prices fall.
Alan Turing wondered if [Grace Hopper|P] worked at [Harvard|O].
Alan Turing said that [IBM|O] might acquire [Intel|O].
[IBM|O] agreed to buy [Intel|O].
[Grace Hopper|P] went to London to join [IBM|O].
[Grace Hopper|P] intended to leave and join [IBM|O].
[Grace Hopper|P] is probably a member of [IBM|O].
Alan Turing suggested that [IBM|O] should acquire [Intel|O].
[Grace Hopper|P] was about to join [IBM|O].
[Grace Hopper|P] was to join [IBM|O].
[Grace Hopper|P] nearly joined [IBM|O].
[Grace Hopper|P] almost founded [IBM|O].
[Grace Hopper|P] dreamed of joining [IBM|O].
[Grace Hopper|P] thought about joining [IBM|O].
It is possible that [Grace Hopper|P] founded [IBM|O].
It is unclear whether [Grace Hopper|P] founded [IBM|O].
Whether [Grace Hopper|P] founded [IBM|O] is unknown.
I wish [Grace Hopper|P] had joined [IBM|O].
Suppose [Grace Hopper|P] joined [IBM|O].
[IBM|O] threatened to sue [Intel|O].
[IBM|O] is considering a plan to acquire [Intel|O].
[IBM|O] was offered the chance to buy [Intel|O].
[IBM|O] would like to acquire [Intel|O].
[IBM|O] needs to acquire [Intel|O].
[IBM|O] is ready to acquire [Intel|O].
[IBM|O] is set to acquire [Intel|O].
Should [IBM|O] acquire [Intel|O], prices would fall.
When [IBM|O] acquires [Intel|O] next year, prices will fall.
As long as [IBM|O] owns [Intel|O], prices fall.
Who says that [Grace Hopper|P] founded [IBM|O]?
"Did [Grace Hopper|P] found [IBM|O]?" asked Alan Turing.
Grace Hopper demanded that [IBM|O] acquire [Intel|O].
[Grace Hopper|P] may be the director of [Bell Labs|O].
[Grace Hopper|P] could be employed by [IBM|O].
[Grace Hopper|P] wants to be the director of [Bell Labs|O].
Let us assume that [Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] was a candidate for director of [Bell Labs|O].
[Grace Hopper|P] was said to be likely to join [IBM|O].
Only if [Grace Hopper|P] joins [IBM|O] will the project succeed.
[Microsoft|O] may soon acquire [Nokia|O].
[Maria Rossi|P] would have studied in [Milan|L] had the war not come.
If [Microsoft|O] buys [Nokia|O], thousands will lose their jobs.
[Edison|P] hoped to work with [Marie Curie|P].
[Siemens|O] has offered to buy [Nokia|O].
[Siemens|O] tried unsuccessfully to hire [Maria Rossi|P].
[Edison|P] could perhaps have met [Marie Curie|P].
[Nokia|O] will be sold to [Microsoft|O] next year.
It seems that [Edison|P] met [Marie Curie|P].
Analysts expect [Microsoft|O] to acquire [Nokia|O].
[Marie Curie|P] wondered whether [Edison|P] lived in [London|L].
Was [Maria Rossi|P] born in [Milan|L]?
[Siemens|O] must sell [Nokia|O], the court ruled.
[Siemens|O] is negotiating to buy [Nokia|O].
Unless the board objects, [Nokia|O] joins [Siemens|O].
[Maria Rossi|P] considered moving to [London|L].
[Maria Rossi|P] was probably born in [Milan|L].
Imagine that [Edison|P] had met [Marie Curie|P].
[Microsoft|O] announced plans to acquire [Nokia|O].
"""

REPORTED = """
Alan Turing said that [Grace Hopper|P] founded [IBM|O].
Alan Turing claimed [Grace Hopper|P] had worked at [Harvard|O].
According to Alan Turing, [Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] reportedly joined [IBM|O].
[Grace Hopper|P] is believed to have founded [IBM|O].
[Grace Hopper|P] is said to have worked at [Harvard|O].
[IBM|O] allegedly acquired [Intel|O].
It is said that [Grace Hopper|P] founded [IBM|O].
It was reported that [IBM|O] had acquired [Intel|O].
[Grace Hopper|P] founded [IBM|O], Alan Turing said.
[Grace Hopper|P] claims to have worked at [Harvard|O].
Alan Turing believes that [Grace Hopper|P] founded [IBM|O].
Alan Turing told reporters that [IBM|O] acquired [Intel|O].
The claim that [Grace Hopper|P] founded [IBM|O] was printed.
[Grace Hopper|P] was accused of founding [IBM|O].
Alan Turing said that [Grace Hopper|P] left [London|L] and joined IBM.
The newspaper wrote that [IBM|O] was founded by [Grace Hopper|P].
Rumours say that [IBM|O] bought [Intel|O].
Critics allege that [Grace Hopper|P] was employed by [IBM|O].
[Grace Hopper|P] apparently worked at [Harvard|O].
"[Grace Hopper|P] founded [IBM|O]," Alan Turing said.
[Grace Hopper|P] was rumored to have joined [IBM|O].
Sources told Alan Turing that [IBM|O] had acquired [Intel|O].
In the opinion of [Alan Turing|P], [Grace Hopper|P] founded IBM.
Legend has it that [Grace Hopper|P] founded [IBM|O].
As Alan Turing wrote, [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P] is alleged to have sold [Intel|O].
Some people think [Grace Hopper|P] was born in [London|L].
It is widely believed that [Grace Hopper|P] was born in [London|L].
[Grace Hopper|P], allegedly the founder of [IBM|O], died.
[Grace Hopper|P], reportedly born in [London|L], died.
The newspaper reports that, after leaving [Harvard|O], [Grace Hopper|P] joined IBM.
It has been suggested that [Grace Hopper|P] founded [IBM|O].
[Grace Hopper|P] is thought to be the founder of [IBM|O].
[Grace Hopper|P] supposedly founded [IBM|O].
According to the records, [IBM|O] was founded in [London|L].
Police said [Maria Rossi|P] lived in [Milan|L].
[Maria Rossi|P] reportedly lives in [Milan|L].
According to the biography, [Edison|P] met [Marie Curie|P] in 1903.
[Siemens|O] is alleged to have bribed [Maria Rossi|P].
The newspaper claims that [Microsoft|O] bought [Nokia|O].
[Edison|P] met [Marie Curie|P], it is said.
[Edison|P] told friends he had met [Marie Curie|P].
Historians believe that [Edison|P] corresponded with [Marie Curie|P].
[Maria Rossi|P] was said to be the daughter of [Linus Pauling|P].
Witnesses testified that [Edison|P] had lived in [London|L].
"[Microsoft|O] bought [Nokia|O]," the minister said.
[Linus Pauling|P] says he was born in [Portland|L].
"""

POSITIVE = """
[Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] worked at [Harvard|O] in 1936.
[IBM|O] was founded by [Grace Hopper|P].
[Grace Hopper|P] was the director of [Bell Labs|O].
[Grace Hopper|P], director of [Bell Labs|O], did not attend.
[Grace Hopper|P] left [Harvard|O] and joined IBM.
[Grace Hopper|P] began to work at [Harvard|O].
[Grace Hopper|P] continued to work for [IBM|O].
[Grace Hopper|P] managed to join [IBM|O].
[Grace Hopper|P] would later join [IBM|O].
[Grace Hopper|P] went on to found [IBM|O].
[Grace Hopper|P] not only founded [IBM|O], but also led Univac.
After joining [IBM|O], [Grace Hopper|P] moved to London.
While working at [Harvard|O], [Grace Hopper|P] wrote a book.
[Grace Hopper|P] was the first woman to join [IBM|O].
[Grace Hopper|P] did not join [IBM|O] until 1936.
Although Alan Turing did not like it, [Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] was able to join [IBM|O].
[Grace Hopper|P] used to work at [Harvard|O].
[Grace Hopper|P], who worked at [Harvard|O], was not happy.
Alan Turing knew that [Grace Hopper|P] worked at [Harvard|O].
Alan Turing did not know that [Grace Hopper|P] worked at [Harvard|O].
Because the plan failed, [Grace Hopper|P] joined [IBM|O].
The acquisition of [Intel|O] by [IBM|O] was completed.
[Grace Hopper|P] helped to found [IBM|O].
[Grace Hopper|P] was forced to leave [Berlin|L].
Even if it was hard, [Grace Hopper|P] joined [IBM|O].
As if by chance, [Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] became president of [Harvard|O] and never regretted it.
[Grace Hopper|P] married [Alan Turing|P] without delay.
[Grace Hopper|P], unlike Alan Turing, joined [IBM|O].
When she could not find work, [Grace Hopper|P] joined [IBM|O].
[Grace Hopper|P] joined [IBM|O] because she wanted to see London.
[Grace Hopper|P], who wanted to travel, joined [IBM|O].
[Grace Hopper|P] said nothing and joined [IBM|O].
[Grace Hopper|P], known for not giving up, joined [IBM|O].
[Grace Hopper|P] wanted to rest but joined [IBM|O].
[Grace Hopper|P] failed the test and joined [IBM|O].
If not the first, [Grace Hopper|P] was a member of [IBM|O].
[Grace Hopper|P] never married and worked at [Harvard|O].
[Grace Hopper|P] was not only the director of [Bell Labs|O] but also a writer.
[Grace Hopper|P] learned to code and joined [IBM|O].
Asked to stay, [Grace Hopper|P] joined [IBM|O].
[Alan Turing|P], who said little, joined [IBM|O].
[Grace Hopper|P], said to be shy, joined [IBM|O].
[Grace Hopper|P] came to live in [London|L].
[Grace Hopper|P] returned to [Germany|L] to find that her house was gone.
[Grace Hopper|P] joined [IBM|O], not knowing the risks.
[Grace Hopper|P] joined [IBM|O] without hesitation.
[Grace Hopper|P] joined [IBM|O] even though she could have stayed.
[Marie Curie|P] was born in [Warsaw|L] and never forgot it.
[Edison|P], not a modest man, founded [General Electric|O].
[Microsoft|O] acquired [Nokia|O] although analysts had warned against it.
[Marie Curie|P] succeeded in joining [Oxford|O].
[Siemens|O] finally managed to buy [Nokia|O].
[Maria Rossi|P] moved to [Milan|L] after she had failed in London.
[Edison|P] did meet [Marie Curie|P].
[Nokia|O] was bought by [Microsoft|O], which denied any wrongdoing.
[Edison|P] not only met [Marie Curie|P] but wrote to her.
[Maria Rossi|P], who could not swim, lived in [Milan|L].
It was [Edison|P] who founded [General Electric|O].
[Marie Curie|P] has lived in [Paris|L] since 1891.
Unable to pay its debts, [Nokia|O] merged with [Siemens|O].
[Edison|P] started working for [General Electric|O].
When he could no longer pay, [Edison|P] left [London|L].
[Maria Rossi|P] would go on to lead [Siemens|O].
"""


def _wrong(block: str, polarity: str) -> dict[str, set[str]]:
    """Sentences of a block that give another polarity, or nothing."""
    found = {marked: {t.polarity for t in ts} for marked, ts in triples_of(block.strip().splitlines()).items()}
    return {marked: got for marked, got in found.items() if got != {polarity}}


def test_what_is_denied_is_negated():
    assert _wrong(NEGATED, "negated") == {}


def test_what_is_left_open_is_conditional():
    assert _wrong(CONDITIONAL, "conditional") == {}


def test_what_somebody_says_is_reported():
    assert _wrong(REPORTED, "reported") == {}


def test_what_is_asserted_is_positive():
    assert _wrong(POSITIVE, "positive") == {}


@pytest.mark.parametrize(
    ("marked", "polarity"),
    [
        ("[Hopper|P] said that she had not worked at [IBM|O].", "negated"),
        ("If [Turing|P] is right, [Hopper|P] might not have joined [IBM|O].", "negated"),
        ("[Turing|P] said that [Hopper|P] might have joined [IBM|O].", "conditional"),
        ("[Hopper|P] did not fail to join [IBM|O].", "conditional"),
        ("It cannot be denied that [Hopper|P] joined [IBM|O].", "conditional"),
        ("[Turing|P] did not say that [Hopper|P] joined [IBM|O].", "reported"),
        ("[Acme|O] did not merge with Zenith to form [IBM|O].", "negated"),
        ("[Acme|O] merged with Zenith to form [IBM|O].", "positive"),
        ("The label calls [Grace Hopper|P] the founder of [IBM|O].", "reported"),
        ("[Grace Hopper|P] is considered the founder of [IBM|O].", "reported"),
        ("[Hopper|P] was elected director of [IBM|O].", "positive"),
        ("[Turing|P] did not know that [Hopper|P] worked at [IBM|O].", "positive"),
    ],
)
def test_the_strongest_mark_wins(marked, polarity):
    assert [t.polarity for t in triples(marked) if t.object.name == "IBM"] == [polarity]


def test_each_clause_has_its_own_polarity():
    marked = "[Hopper|P], who never worked for [IBM|O], joined [Harvard|O] and may have lived in [London|L]."
    found = {t.object.name: t.polarity for t in triples(marked)}
    assert found == {"IBM": "negated", "Harvard": "positive", "London": "conditional"}


def test_what_a_noun_phrase_takes_for_granted_is_positive():
    marked = "[Hopper|P], director of [IBM|O], denied that she had met [Turing|P]."
    found = {(t.subject.name, t.object.name): t.polarity for t in triples(marked)}
    assert found[("Hopper", "IBM")] == "positive"
    assert found[("Hopper", "Turing")] == "negated"
