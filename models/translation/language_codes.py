"""The languages of M2M-100 and NLLB-200, in the order of their tokens, and other codes for them.

NLLB-200 names a language as FLORES-200 does: ISO 639-3 and ISO 15924, `ces_Latn` (NLLB Team 2022).
M2M-100 mostly has ISO 639-1, `cs` (Fan et al. 2021).
"""

import difflib
import re

M2M = (
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or "
    "pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
).split()
NLLB = (
    "ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab arb_Arab "
    "ars_Arab ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl bam_Latn "
    "ban_Latn bel_Cyrl bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn bul_Cyrl "
    "cat_Latn ceb_Latn ces_Latn cjk_Latn ckb_Arab crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn dyu_Latn "
    "dzo_Tibt ell_Grek eng_Latn epo_Latn est_Latn eus_Latn ewe_Latn fao_Latn pes_Arab fij_Latn fin_Latn "
    "fon_Latn fra_Latn fur_Latn fuv_Latn gla_Latn gle_Latn glg_Latn grn_Latn guj_Gujr hat_Latn hau_Latn "
    "heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn ibo_Latn ilo_Latn ind_Latn isl_Latn ita_Latn "
    "jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor knc_Arab knc_Latn "
    "kaz_Cyrl kbp_Latn kea_Latn khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kon_Latn kor_Hang kmr_Latn "
    "lao_Laoo lvs_Latn lij_Latn lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn lug_Latn "
    "luo_Latn lus_Latn mag_Deva mai_Deva mal_Mlym mar_Deva min_Latn mkd_Cyrl plt_Latn mlt_Latn mni_Beng "
    "khk_Cyrl mos_Latn mri_Latn zsm_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva nso_Latn nus_Latn "
    "nya_Latn oci_Latn gaz_Latn ory_Orya pag_Latn pan_Guru pap_Latn pol_Latn por_Latn prs_Arab pbt_Arab "
    "quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Beng scn_Latn shn_Mymr sin_Sinh slk_Latn "
    "slv_Latn smo_Latn sna_Latn snd_Arab som_Latn sot_Latn spa_Latn als_Latn srd_Latn srp_Cyrl ssw_Latn "
    "sun_Latn swe_Latn swh_Latn szl_Latn tam_Taml tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai tir_Ethi "
    "taq_Latn taq_Tfng tpi_Latn tsn_Latn tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab "
    "ukr_Cyrl umb_Latn urd_Arab uzn_Latn vec_Latn vie_Latn war_Latn wol_Latn xho_Latn ydd_Hebr yor_Latn "
    "yue_Hant zho_Hans zho_Hant zul_Latn"
).split()

# Other codes of the languages that NLLB-200 or M2M-100 has: ISO 639-1 with its withdrawn codes, those of
# M2M-100, the bibliographic codes of ISO 639-2, and those macrolanguages and their members in ISO 639-3 that
# NLLB-200 names otherwise. Where it has several of a macrolanguage: the standard one, or the one that most
# people speak.
_THREE_LETTERS = dict(
    pair.split("=")
    for pair in (
        "af=afr ak=aka am=amh ar=arb ara=arb as=asm ay=ayr az=azj aze=azj ba=bak be=bel bg=bul bm=bam "
        "bn=ben bo=bod bs=bos ca=cat cs=ces cy=cym da=dan de=deu dz=dzo ee=ewe el=ell en=eng eo=epo "
        "es=spa et=est eu=eus fa=pes fas=pes ff=fuv ful=fuv fi=fin fil=tgl fj=fij fo=fao fr=fra ga=gle "
        "gd=gla gl=glg gn=grn gu=guj ha=hau he=heb hi=hin hr=hrv ht=hat hu=hun hy=hye id=ind ig=ibo "
        "is=isl it=ita ja=jpn jv=jav ka=kat kg=kon ki=kik kk=kaz km=khm kn=kan ko=kor ks=kas ku=kmr "
        "kur=kmr ky=kir lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lv=lvs lav=lvs mg=plt mlg=plt mi=mri "
        "mk=mkd ml=mal mn=khk mon=khk mr=mar ms=zsm msa=zsm mt=mlt my=mya nb=nob ne=npi nep=npi nl=nld "
        "nn=nno no=nob nor=nob ns=nso ny=nya oc=oci om=gaz orm=gaz or=ory ori=ory pa=pan pl=pol ps=pbt "
        "pus=pbt pt=por qu=quy que=quy rn=run ro=ron ru=rus rw=kin sa=san sc=srd sd=snd sg=sag si=sin "
        "sk=slk sl=slv sm=smo sn=sna so=som sq=als sqi=als sr=srp ss=ssw st=sot su=sun sv=swe sw=swh "
        "swa=swh ta=tam te=tel tg=tgk th=tha ti=tir tk=tuk tl=tgl tn=tsn tr=tur ts=tso tt=tat tw=twi "
        "ug=uig uk=ukr ur=urd uz=uzn uzb=uzn vi=vie wo=wol xh=xho yi=ydd yid=ydd yo=yor zh=zho zu=zul "
        "br=bre fy=fry kr=knc "
        "in=ind iw=heb ji=ydd jw=jav mo=ron mol=ron scc=srp scr=hrv sh=hrv "
        "alb=als arm=hye baq=eus bur=mya chi=zho cze=ces dut=nld fre=fra geo=kat ger=deu gre=ell ice=isl "
        "mac=mkd mao=mri may=zsm per=pes rum=ron slo=slk tib=bod wel=cym "
        "aym=ayr cmn=zho din=dik ekk=est gug=grn hbs=hrv kau=knc kng=kon src=srd tmh=taq zlm=zsm"
    ).split()
)
_TRADITIONAL = {"TW", "HK", "MO"}

# In English, so that an error can say which code someone meant.
_NAMES = dict(
    pair.split("=")
    for pair in (
        "afrikaans=af albanian=sq amharic=am arabic=ar armenian=hy azerbaijani=az basque=eu belarusian=be "
        "bengali=bn bosnian=bs bulgarian=bg burmese=my catalan=ca chinese=zh croatian=hr czech=cs danish=da "
        "dutch=nl english=en esperanto=eo estonian=et finnish=fi french=fr galician=gl georgian=ka german=de "
        "greek=el gujarati=gu hausa=ha hebrew=he hindi=hi hungarian=hu icelandic=is igbo=ig indonesian=id "
        "irish=ga italian=it japanese=ja javanese=jv kannada=kn kazakh=kk khmer=km korean=ko kurdish=ku "
        "kyrgyz=ky lao=lo latin=la latvian=lv lithuanian=lt luxembourgish=lb macedonian=mk malagasy=mg "
        "malay=ms malayalam=ml maltese=mt maori=mi marathi=mr mongolian=mn nepali=ne norwegian=no "
        "pashto=ps persian=fa polish=pl portuguese=pt punjabi=pa romanian=ro russian=ru serbian=sr "
        "sindhi=sd sinhala=si slovak=sk slovene=sl slovenian=sl somali=so spanish=es swahili=sw swedish=sv "
        "tagalog=tl tajik=tg tamil=ta tatar=tt telugu=te thai=th tibetan=bo turkish=tr turkmen=tk "
        "ukrainian=uk urdu=ur uyghur=ug uzbek=uz vietnamese=vi welsh=cy xhosa=xh yiddish=yi yoruba=yo zulu=zu"
    ).split()
)


def code_of_name(name: str) -> str | None:
    """The code of the language that someone named in English; None if no name is like it.

    >>> code_of_name("Czech"), code_of_name("slovack"), code_of_name("Klingon")
    ('cs', 'sk', None)
    """
    close = difflib.get_close_matches(name.lower(), _NAMES, n=1, cutoff=0.8)
    return _NAMES[close[0]] if close else None


def nllb_code(language: str) -> str | None:
    """The code of NLLB-200 for a language by any code; None if it has none, or several that differ in script.

    Chinese without a script or a region is written in simplified characters.

    >>> nllb_code("cs"), nllb_code("pt-BR"), nllb_code("zh_TW"), nllb_code("kas_Deva"), nllb_code("ks")
    ('ces_Latn', 'por_Latn', 'zho_Hant', 'kas_Deva', None)
    """
    letters, *others = _subtags(language)
    scripts = [part.title() for part in others if len(part) == 4]
    if letters == "zho" and not scripts:
        scripts = ["Hant" if _TRADITIONAL & {part.upper() for part in others} else "Hans"]
    found = [code for code in NLLB if code.startswith(f"{letters}_") and (not scripts or code[4:] in scripts)]
    return found[0] if len(found) == 1 else None


def code_among(language: str, codes: list[str]) -> str | None:
    """The one of a model's codes that means a language, whichever code names it; None if there is none.

    >>> code_among("ces", M2M), code_among("ces_Latn", M2M), code_among("nb", M2M), code_among("tlh", M2M)
    ('cs', 'cs', 'no', None)
    """
    if language in codes:
        return language
    wanted = nllb_code(language)
    if wanted is not None:
        return next((code for code in codes if nllb_code(code) == wanted), None)
    # Neither is a language of NLLB-200: M2M-100 has Breton and Western Frisian.
    return next(
        (code for code in codes if nllb_code(code) is None and _subtags(code)[0] == _subtags(language)[0]),
        None,
    )


def _subtags(language: str) -> list[str]:
    """The parts of a code, the first with the three letters that NLLB-200 has for it."""
    first, *others = re.split("[-_]", language)
    return [_THREE_LETTERS.get(first.lower(), first.lower()), *others]
