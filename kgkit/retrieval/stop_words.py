"""Words that say nothing alone. A query leaves them out, unless it has nothing else."""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_ENGLISH = """
a about above after again against all also although am among an and another any are aren as at be became because
become been before being below between both but by came can cannot could couldn did didn do does doesn doing don
done down during each either else ever every few for from further get gets give given go goes got had has hasn have
haven having he her here hers herself him himself his how however i if in into is isn it its itself just let like ll
make made many may me might mine more most much must my myself near need neither no nor not now of off often on once
one only onto or other others ought our ours ourselves out over own per perhaps please quite rather re really said
same say see seem seemed seems shall she should shouldn since so some someone something still such take tell than
that the their theirs them themselves then there therefore these they this those though through thus to too toward
towards under until up upon us used using ve very via was wasn we well were weren what whatever when where whether
which while who whoever whom whose why will with within without won would wouldn yet you your yours yourself yourselves
"""
_OTHERS = """
aber als am an auch auf aus bei bin bis da dann das dass dem den der des die dies diese dieser doch du durch ein eine
einem einen einer eines er es für gegen haben hat hatte ich ihr im ist ja kann kein keine mit nach nicht noch nur oder
sehr sein seine sich sie sind so über um und uns unter vom von vor war warum was wer wie wir wird wo wurde zu zum zur
au aux avec ce cette ces comme dans de des du elle elles en est et été eux il ils je la le les leur lui mais ne nous on
ou où par pas pour qu que qui sa sans se ses son sont sur tu un une vous quel quelle quand comment pourquoi
al como con cuando de del desde donde dónde el ella ellos en entre era es esta este fue ha la las lo los más no o para
pero por porque que qué quién se si sin sobre su sus también un una y ya cómo cuándo
che chi da dal dalla dei del della di e gli il in la le lo ma nel nella non o per più quando si sono un una è
ao aos com da das do dos e ela ele em eu foi mas na nas no nos não o os ou para pela pelo quem se sem ser sua um uma
aan dat de een en er het hij ik in is met niet of om op te van voor wat werd wie zijn
att av den det det där en ett för han hade har hon i inte med och om på som till var vad vem är
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из
ему когда кто где почему для это был была были
"""
# Short words of other languages that are words with a meaning in English are left out of the list
_MEANING = frozenset({"die", "war", "son", "sans", "case", "art", "as", "dos", "more", "sur", "hat", "will", "per"})

STOP_WORDS = frozenset(_ENGLISH.split()) | (frozenset(_OTHERS.split()) - _MEANING)
