/** Lists the destinations of RTF: control words whose text is not part of the text around their group. */

export type RtfDestination = "note" | "container" | "equation" | "result" | "data";

/** Destinations whose text readers show in another place. */
const NOTES = `
  annotation dptxbxtext footer footerf footerl footerr footnote header headerf headerl headerr
  shptxt
`;

/** Destinations that contain only groups. Some readers show other text in them. */
const CONTAINERS = `
  background colortbl creatim do field flymaincnt formfield ftnsep info lfolevel list listlevel
  listoverride listoverridetable listpicture listtable nesttableprops object pict picprop pn
  printim revtbl revtim shp shpgrp shpinst shppict sp stylesheet upr userprops
`;

/** The same for equations, and `mr`, which contains their text. */
const EQUATIONS = `
  macc maccPr mbar mbarPr mborderBox mborderBoxPr mbox mctrlPr md mdeg mden mdPr me meqArr mf
  mfName mfPr mfunc mfuncPr mgroupChr mgroupChrPr mlim mlimlow mlimlowPr mlimupp mlimuppPr mm
  mmath mmPr mmr mnary mnaryPr mnum moMath moMathPara mr mrad mradPr msPre msPrePr msSub msSubPr
  msSubSup msSubSupPr msSup msSupPr msub msup
`;

/** Text that is in a container beside other text, which it replaces. */
const RESULTS = "fldrslt result ud";

/**
 * The other destinations of the RTF specification, version 1.9.1. The first ones are those that LibreOffice, TextEdit,
 * Outlook and AbiWord add.
 */
const DATA = `
  abilist expandedcolortbl formatConverter hyphen levelmarker listtag pgdscno pgdsctbl
  aftncn aftnsep aftnsepc atnauthor atndate atnicn atnid atnparent atnref atntime atrfend
  atrfstart author bkmkend bkmkstart blipuid buptim category colorschememapping comment company
  datafield datastore defchp defpap doccomm docvar ebcend ebcstart factoidname falt fchars
  ffdeftext ffentrymcr ffexitmcr ffformat ffhelptext ffl ffname ffstattext file filetbl fldinst
  fldtype fname fontemb fontfile fonttbl ftncn ftnsepc g generator gridtbl hl hlfr hlinkbase hlloc
  hlsrc hsv htmltag keycode keywords latentstyles lchars levelnumbers leveltext linkval listname
  liststylename listtext lsdlockedexcept mailmerge maln malnScr manager margPr mbaseJc mbegChr
  mboxPr mchr mcount mdegHide mdiff mendChr meqArrPr mgrow mhideBot mhideLeft mhideRight mhideTop
  mhtmltag mlimloc mmaddfieldname mmathPict mmathPr mmaxdist mmc mmcJc mmconnectstr
  mmconnectstrdata mmcPr mmcs mmdatasource mmheadersource mmmailsubject mmodso mmodsofilter
  mmodsofldmpdata mmodsomappedname mmodsoname mmodsorecipdata mmodsosort mmodsosrc mmodsotable
  mmodsoudl mmodsoudldata mmodsouniquetag mmquery mnoBreak mobjDist moMathParaPr mopEmu mphant
  mphantPr mplcHide mpos mrPr msepChr mshow mshp mstrikeBLTR mstrikeH mstrikeTLBR mstrikeV
  msubHide msupHide mtransp mtype mvertJc mvfmf mvfml mvtof mvtol mzeroAsc mzeroDesc mzeroWid
  nextfile nonesttables nonshppict objalias objclass objdata objname objsect objtime oldcprops
  oldpprops oldsprops oldtprops oleclsid operator panose password passwordhash pgp pgptbl pnseclvl
  pntext pntxta pntxtb private propname protend protstart protusertbl pxe rsidtbl rxe shprslt sn
  staticval subject sv svb tc tcn template themedata title txe wgrffmtfilter windowcaption
  writereservation writereservhash xe xform xmlattrname xmlattrvalue xmlclose xmlname xmlnstbl
  xmlopen
`;

const list = (words: string, kind: RtfDestination) =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => [word, kind] as const);

export const RTF_DESTINATIONS: ReadonlyMap<string, RtfDestination> = new Map([
  ...list(NOTES, "note"),
  ...list(CONTAINERS, "container"),
  ...list(EQUATIONS, "equation"),
  ...list(RESULTS, "result"),
  ...list(DATA, "data"),
]);
