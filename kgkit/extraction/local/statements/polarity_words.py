"""The words by which English denies, leaves open, and reports. Lemmas, unless said otherwise."""

from __future__ import annotations

from kgkit.extraction.local.statements.vocabulary import words

NEGATIVE = words("not n't n’t never neither nor hardly scarcely barely nowhere")
"""Words (not lemmas) that deny the verb or noun they belong to."""

NOT_ALONE = words("only just merely simply solely necessarily")
"""Words after "not" that take its force: "not only"."""

NO = words("no neither none nobody nor")
"""Words (not lemmas) that deny the sentence when they belong to a verb's subject or object."""

MODALS = words("may might could would should must will shall 'll ’ll 'd ’d ought wo sha")
"""Auxiliaries (not lemmas) that leave the verb open. "Can" is left out: what can be done is mostly done."""

LATER = words("later eventually subsequently soon again ultimately thereafter afterwards")
"""With these, "would" tells what did happen afterwards: "he would later join"."""

OPEN_ADVERBS = words(
    """
    perhaps maybe possibly probably potentially presumably likely conceivably hopefully almost nearly theoretically
    hypothetically
    """
)
REPORTED_ADVERBS = words(
    """
    reportedly allegedly supposedly purportedly apparently seemingly ostensibly reputedly rumouredly rumoredly
    """
)
OPEN_MARKS = words("if unless whether lest provided providing assuming supposing suppose")
"""Words (not lemmas) that open a clause that is not asserted; with "if" and "unless" the main clause is not either."""

CONDITION_MARKS = words("if unless provided providing assuming supposing lest")

DENYING = words(
    """
    avoid cease decline deny disprove dispute doubt fail forget neglect omit quit refuse refute reject renounce
    rebut stop unable
    """
)
"""Verbs whose "to join" or "joining" did not happen, or no longer does."""

DENYING_THAT = words("contradict deny disprove dispute doubt refute rebut")
"""Verbs whose "that she joined" is denied."""

PREVENTING = words(
    """
    ban bar block deter discourage dissuade exclude forbid hinder keep prevent prohibit refrain save stop abstain
    desist disqualify
    """
)
"""Verbs whose "from joining" did not happen."""

UNDOING = words(
    """
    abandon abort avert block cancel collapse decline deny disprove dispute drop fail forbid halt lose oppose
    prevent prohibit refuse refute reject rule_out scrap stop suspend thwart veto
    """
)
"""Verbs whose object, an action, did not happen ("blocked the acquisition of ...")."""

OPENING = words(
    """
    advise aim agree anticipate ask attempt beg consider contemplate debate demand desire discuss dream encourage
    endeavor endeavour envisage expect explore fear hope imagine instruct intend invite mull need negotiate offer
    order plan pledge prefer prepare pressure promise propose push recommend request seek speculate strive suppose
    threaten try urge vow want warn weigh wish wonder seem appear look pretend
    """
)
"""Verbs whose complement is left open."""

HAPPENING = words(
    """
    begin start continue come help manage get tend use happen proceed prove serve let make learn go keep remain
    return force compel oblige cause lead inspire condemn dare deign scramble rush last live grow able first succeed
    know find see show elect choose move enjoy like love spend finish resume end regret remember admit
    """
)
"""Verbs and adjectives whose "to join" or "joining" did happen."""

REPORTING = words(
    """
    say tell claim report allege assert state argue announce declare maintain insist note write add believe think
    contend suspect suppose assume rumor rumour speculate estimate testify explain observe remark reply respond warn
    deem conclude suggest imply indicate complain boast profess purport repute mention joke comment stress emphasize
    emphasise understand feel predict forecast recall accuse charge predict hint swear affirm consider regard hear
    quote cite describe credit
    """
)
"""Verbs whose complement is somebody's word."""

FACTIVE = words(
    """
    know realise realize regret remember remind notice forget recognise recognize acknowledge admit point
    """
)
"""Verbs whose "that" clause is so, whatever becomes of them: denied, wanted, or reported."""

TELLING = words("announce claim declare mention report say state tell write")
"""Verbs of saying: who did not say it has not denied it either."""

CALLING = words("call consider credit deem depict describe hail label portray regard see view")
"""Verbs whose "the founder of" is somebody's word."""

RESULTS = words("become build create establish form found produce")
PARTING = words("amalgamate combine depart join leave merge partner quit resign return split unite")
"""Who parted or joined "to form" or "to found" something, did so."""

PROVING = words("confirm demonstrate discover establish find learn prove reveal see show verify")
"""Verbs whose "that" clause is so, and is open when they are denied."""

ACCUSING = words("accuse suspect charge")
"""Verbs whose "of founding" is somebody's word."""

REPORTED_NOUNS = words(
    """
    claim report allegation rumor rumour assertion statement accusation belief suggestion theory charge story
    announcement suspicion impression conclusion argument view notion assumption speculation
    """
)
OPEN_NOUNS = words(
    """
    hope possibility idea fear chance prospect expectation hypothesis plan condition likelihood proposal
    """
)
OPEN_ROLES = words("candidate nominee contender applicant pretender claimant")
"""Nouns that say what somebody may become."""

OPINIONS = words("opinion view account estimation telling version legend tradition")
"""Nouns with which "in the ... of", "by ... account" name a source."""

DENYING_NOUNS = words("denial refusal failure inability doubt")

DENYING_ADJECTIVES = words(
    """
    failed unsuccessful false untrue unable nonexistent aborted abortive cancelled canceled fake
    """
)
OPEN_ADJECTIVES = words(
    """
    possible potential proposed prospective planned attempted intended hypothetical aspiring would-be likely
    unlikely probable conceivable doubtful unclear uncertain candidate future expected pending upcoming
    """
)
REPORTED_ADJECTIVES = words(
    """
    alleged supposed so-called reputed purported rumored rumoured suspected accused reported
    """
)
WAYS = words("account case circumstance mean means moment point respect sense stage time way")
"""Nouns whose "no" denies the clause: "at no time"."""

RANKING = words("first second third last only next sole latest earliest youngest oldest")
"""With these, "the first woman to join" did join."""
