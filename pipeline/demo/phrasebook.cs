Tři fotografové tančí.
Minulý týden soused přijel pozdě, protože celý den foukal vítr.
Mladý student kupuje velký klobouk pod stromem.
Před dvěma dny jsme jeli autem do Plzně.
Vysoký student stojí blízko nádraží s velkou kočkou.
Veselý chlapec drží nový košík a dva hnědí psi spí v pokoji.
Veselý dělník hledá mapu v pokoji.
Vysoká žena v černé košili tančí vedle kostela.
Veselá žena myje modrou lavičku blízko nádraží.
Včera soused přinesl číšníkovi studené víno.
Minulý rok jsem šel do muzea, protože pršelo.
Rychlík z Ostravy přijíždí ve dvě hodiny odpoledne.
Rychlík do Paříže odjíždí v devět hodin ráno ze třetího nástupiště.
Přidejte pět hrnků mléka a pečte hodinu.
Minulý týden jsem odešel brzy, protože bylo krásné počasí.
Soused koupil výborný sýr.
Dnes ráno číšník podal otci čerstvou polévku.
Lékař nese novou lavičku, zatímco si pět bílých ptáků hraje na náměstí.
Veselá tanečnice opravuje starý most a dva velcí psi běží u řeky.
Rychlík do Ostravy odjíždí v jednu hodinu odpoledne ze čtvrtého nástupiště.
Kolik stojí letenka z Říma do Vídně?
Kde je nejbližší muzeum blízko pošty?
Před dvěma dny soused jel vlakem do Ostravy.
Na stole je studený sýr.
Mladý turista v červeném kabátu sedí na pláži.
V neděli kuchař přinesl babičce studenou kávu.
Unavený fotograf v bílém klobouku tančí pod stromem.
Kolik stojí taxi z Brna do Plzně?
Starý student nese velký obraz v pokoji.
V misce je teplé maso.
Dvě zpěvačky odpočívají na pláži.
Přidejte pět hrnků medu a míchejte dvě minuty.
Lékař se prochází na hřišti s bílým králíkem.
Starý dělník odpočívá v parku s hnědým králíkem.
Jak se dostanu od lékárny k nejbližší kavárně?
Na Vánoce otec koupil sestře teplou rybu.
Jak se dostanu od kostela k nejbližší poště?
Na stole není žádná výborná ryba.
Přidejte tři hrnky vína a míchejte hodinu.
V misce je káva.
Dva malí ptáci si hrají před domem.
Hledáme levnou restauraci blízko nádraží.
Mladá zpěvačka kupuje modrý klobouk a pět velkých koček sedí vedle kostela.
Dnes ráno strýc podal sousedovi výborný chléb.
V sobotu večer bratr ochutnal výbornou omáčku.
Před dvěma dny teta čekala na nádraží, protože byla velká zima.
Přidejte dvě lžíce vína a vařte dvacet minut.
Přidejte dvě lžíce oleje a smažte hodinu.
V lednici je teplý chléb.
Před dvěma dny jeli autem do Říma.
Dívka se prochází v parku se psem.
Dnes ráno soused přinesl bratrovi teplý chléb.
Jak se dostanu od lékárny k nejlevnější kavárně?
Včera teta přijela pozdě, protože sněžilo.
Včera matka přinesla sousedce teplý koláč.
Dělník čeká na hřišti s černým králíkem.
Dělník v modrém klobouku čeká na zahradě.
Minulý týden soused odešel brzy, protože most byl zavřený.
Na stole není žádná teplá rýže.
Včera si sestra koupila nový deštník, protože sněžilo.
V pondělí jeli vlakem do Drážďan.
Muž ve žluté bundě čeká na pláži.
Můžete mi ukázat nejlepší muzeum blízko divadla?
Za dva dny bratr pojede autobusem do Brna.
Velký pták sedí před domem.
Našli jsme divadlo blízko nemocnice.
Dělník sedí před domem s velkým psem.
Ve skříni není žádné výborné máslo.
Jak se dostanu od hotelu k nejbližší poště?
V lednici není žádný teplý cukr.
Vlak do Paříže odjíždí v osm hodin ráno z druhého nástupiště.
Veselý dělník spí u řeky.
Na Vánoce dědeček snědl teplý salát.
Muž kupuje velký deštník.
Mladá zpěvačka drží klíč, zatímco si pět černých koček hraje pod stromem.
Kolik stojí taxi z Paříže do Plzně?
V pátek sestra nepojede autobusem do Ostravy.
V obchodě je cukr.
Zpěvačka spí pod stromem.
Rychlík do Prahy odjíždí v šest hodin ráno ze čtvrtého nástupiště.
V poledne strýc podal dědečkovi výborný chléb.
Kolik stojí cesta autobusem z Brna do Paříže?
Starý muž sedí u řeky s bílou kočkou.
Teta připravila salát.
Minulý týden babička koupila sousedce výborný chléb.
V pondělí jsme přijeli pozdě, protože celý den foukal vítr.
Před hodinou bratr přinesl tetě výborné jablko.
Dnes ráno kuchař upekl studený chléb.
Bratr přinesl sousedovi teplou rybu.
Rychlík do Londýna odjíždí v osm hodin večer ze čtvrtého nástupiště.
Na stole je čerstvý koláč.
Dítě si hraje za plotem.
Před dvěma dny soused nejel autem do Paříže.
Minulý týden si koupili nový deštník, protože na silnici byla nehoda.
Přidejte pět sklenic oleje a vařte půl hodiny.
Přidejte pět sklenic vody a pečte dvě minuty.
Ráno jsem se vrátil domů, protože na silnici byla nehoda.
V misce není žádný výborný sýr.
Chlapec nese nový obraz na pláži.
Autobus z Vídně přijíždí v devět hodin večer.
Včera jsem čekal na nádraží, protože most byl zavřený.
Autobus do Vídně odjíždí v devět hodin ráno.
Přidejte dvě lžíce oleje a vařte pět minut.
Minulý týden bratr zůstal v hotelu, protože sněžilo.
Kolik stojí letenka z Prahy do Říma?
Přidejte tři lžíce medu a smažte dvacet minut.
Včera bratr jel autobusem do Londýna.
Autobus do Drážďan odjíždí ve tři hodiny odpoledne ze čtvrtého nástupiště.
Bratr dal matce víno.
Stará žena v modré košili odpočívá pod stromem.
Kočka stojí na ulici.
Minulý rok jeli autobusem do Prahy.
Vysoký muž drží krásný deštník, zatímco tři černí králíci skáčou u řeky.
Tři ptáci odpočívají.
Za dva dny pojedu autobusem do Londýna.
Zpěvačka v zelené čepici sedí v parku.
Kde je nejlevnější obchod blízko divadla?
Žena drží květinu, zatímco tři bílí králíci odpočívají v parku.
Před dvěma dny se sestra vrátila domů, protože restaurace byla zavřená.
Vysoký student v bílém kabátu běží v lese.
Veselé dítě fotí novou květinu na hřišti.
Kolik stojí cesta autobusem z Vídně do Prahy?
Přidejte dvě sklenice soli a pečte půl hodiny.
Lékař stojí na hřišti se psem.
Přidejte hrnek mouky a pečte dvacet minut.
Chlapec drží krásnou mapu na hřišti.
V poledne matka podala kuchaři studený chléb.
Včera sousedka poslala číšníkovi víno.
Dívka v bílé košili odpočívá vedle kostela.
Unavený chlapec běží blízko nádraží se psem.
Starý lékař ve žlutém klobouku běží v pokoji.
Veselá dívka si hraje u řeky s bílým psem.
V košíku je výborný čaj.
Stará tanečnice hledá krásný klíč a dvě bílé kočky čekají na hřišti.
Tři černí ptáci si hrají.
Fotograf drží starou mapu na náměstí.
Starý dělník pozoruje králíka v parku.
Můžete mi doporučit dobrou restauraci blízko obchodu?
Lékař čeká.
V poledne teta ochutnala velký koláč.
Mladý fotograf čte malý dopis, zatímco dvě hnědé kočky stojí v pokoji.
Dnes ráno sestra dala sousedce čerstvé jablko.
Veselé dítě kupuje velký batoh na hřišti.
Vysoká zpěvačka nese novou krabici, zatímco tři bílí ptáci čekají pod stromem.
Před hodinou sestra koupila matce chléb.
Lékař čte modrou knihu na hřišti.
Muž fotí modrou kočku.
Jak se dostanu od banky k nejlepšímu divadlu?
Stará dívka nese starou krabici.
Dvě staré ženy spí vedle kostela.
Minulý rok soused jel vlakem do Brna.
Stará dívka ve žluté bundě běží blízko nádraží.
Před dvěma dny jsme nejeli autem do Prahy.
Na Vánoce číšník snědl polévku.
Unavený chlapec odpočívá před domem s kočkou.
Chlapec stojí za plotem s velkým psem.
Kolik stojí dětská jízdenka z Plzně do Říma?
Rychlík do Drážďan odjíždí v deset hodin večer.
Starý dělník si hraje vedle kostela s kočkou.
Dělník v zelené čepici odpočívá na náměstí.
Chlapec v modrém tričku stojí v lese.
V misce je čerstvé jablko.
Dnes ráno sestra poslala bratrovi koláč.
Našli jsme malý hotel blízko nemocnice.
Přidejte tři sklenice oleje a pečte pět minut.
Kde je nejbližší hotel blízko divadla?
Kolik stojí letenka z Londýna do Paříže?
Fotograf ve žlutém tričku čeká na pláži.
Minulý týden sestra přijela pozdě, protože most byl zavřený.
V pondělí jsme se vrátili domů, protože pršelo.
Dva unavení dělníci odpočívají v parku.
Můžete mi ukázat nejbližší lékárnu blízko banky?
Můžete mi doporučit levné divadlo blízko banky?
Minulý týden babička koupila sýr.
Veselý dělník v bílém klobouku sedí na pláži.
Kolik stojí cesta autobusem z Berlína do Londýna?
Kolik stojí jízdenka z Plzně do Říma?
Minulý rok soused přijel pozdě, protože most byl zavřený.
Dvě ženy běží.
Včera soused zůstal v hotelu, protože most byl zavřený.
Starý student pozoruje krásný obraz a pět malých psů čeká na ulici.
Minulý týden bratr čekal na nádraží, protože celý den foukal vítr.
V košíku není žádná čerstvá polévka.
V sobotu večer bratr dal matce čaj.
Minulý týden bratr vypil výborné víno.
Zítra sestra pojede autem do Ostravy.
Můžete mi ukázat nejlevnější hotel blízko banky?
Jak se dostanu od muzea k nejlevnějšímu divadlu?
Dnes ráno bratr poslal otci výbornou polévku.
Kolik stojí letenka z Paříže do Plzně?
Včera teta dala otci studenou kávu.
Našli jsme levnou restauraci blízko nemocnice.
V pátek teta pojede autem do Prahy.
Dnes večer bratr pojede autobusem do Plzně.
Kolik stojí zpáteční jízdenka z Říma do Plzně?
Přidejte dva hrnky mléka a míchejte dvě minuty.
Unavený turista maluje staré okno vedle kostela.
Včera matka dala strýci výborný čaj.
Hledáme dobrou kavárnu blízko banky.
V lednici je ryba.
Veselý fotograf si hraje na hřišti s černým psem.
Stará zpěvačka ve žluté košili stojí na pláži.
V neděli strýc koupil tetě teplý dort.
Babička koupila cibuli.
V lednici není žádný výborný dort.
V košíku je čerstvý sýr.
Mladý fotograf maluje nový plot, zatímco tři králíci běží v pokoji.
Ráno teta šla do muzea, protože restaurace byla zavřená.
Starý student hledá červený deštník a pět bílých koček sedí na zahradě.
Dnes ráno bratr koupil výbornou cibuli.
Před hodinou soused přinesl bratrovi víno.
V létě teta pojede vlakem do Brna.
Dědeček přinesl bratrovi dort.
Stará tanečnice fotí krásný kostel, zatímco dva velcí psi běží v parku.
Muž nese kufr, zatímco pět ptáků spí na hřišti.
Našli jsme restauraci blízko hotelu.
Mladá dívka v červené čepici stojí blízko nádraží.
V sobotu večer soused nakrájel chléb.
Autobus do Prahy odjíždí ve dvě hodiny odpoledne ze třetího nástupiště.
Přidejte dvě lžíce mléka a pečte pět minut.
V neděli kuchař snědl jablko.
Unavený student sedí vedle kostela.
Vysoký fotograf běží na zahradě s malou kočkou.
Našli jsme nový obchod blízko hotelu.
Kolik stojí dětská jízdenka z Berlína do Vídně?
Přidejte tři lžíce medu a smažte dvě minuty.
Autobus do Paříže odjíždí v sedm hodin večer.
Přidejte pět hrnků mléka a vařte dvacet minut.
Kde je nejbližší nádraží blízko kavárny?
V misce je velká ryba.
Dítě sedí v parku se psem.
Minulý týden soused nejel autem do Ostravy.
Fotograf kupuje velký batoh, zatímco tři malí ptáci skáčou v parku.
Číšník poslal babičce čerstvé máslo.
V pátek teta pojede vlakem do Berlína.
Ráno jsem zůstal v hotelu, protože nikdo neznal cestu.
Muž v modré čepici stojí za plotem.
Veselý muž nese nový deštník u řeky.
Strýc ochutnal salát.
Dnes večer pojedou autem do Ostravy.
Tři malí psi běží v lese.
Mladý fotograf myje lavičku blízko nádraží.
Jak se dostanu od restaurace k nejbližšímu hotelu?
V lednici je studený cukr.
Mladá zpěvačka hledá nový batoh, zatímco tři psi stojí na ulici.
Přidejte dvě lžíce vína a vařte půl hodiny.
Rychlík do Londýna odjíždí v sedm hodin ráno.
Minulý týden otec podal číšníkovi studený sýr.
Mladá žena v modrém tričku tančí v lese.
Tanečnice v bílém kabátu sedí u řeky.
Můžete mi ukázat nejlepší obchod blízko kavárny?
Přidejte hrnek vody a vařte půl hodiny.
Autobus do Prahy odjíždí v sedm hodin večer ze čtvrtého nástupiště.
Dívka ve žluté košili odpočívá u řeky.
Vlak do Plzně odjíždí v deset hodin večer z prvního nástupiště.
Minulý rok jeli vlakem do Brna.
Dnes ráno strýc podal kuchaři kávu.
Přidejte sklenici medu a smažte půl hodiny.
Před dvěma dny teta nejela autem do Paříže.
Vysoká žena v bílém kabátu odpočívá v pokoji.
Starý muž fotí malou květinu a pět velkých koček skáče na náměstí.
Unavený muž odpočívá v pokoji s bílou kočkou.
Starý turista opravuje velký plot a pět hnědých psů čeká v lese.
Zpěvačka v zeleném klobouku se prochází u řeky.
Minulý týden si bratr koupil nový deštník, protože sněžilo.
Na Vánoce otec koupil teplý dort.
Starý dělník fotí květinu před domem.
Dítě se prochází na ulici s černým psem.
Včera sousedka dala strýci teplou kávu.
Našli jsme klidnou restauraci blízko lékárny.
V obchodě je studený cukr.
Dnes večer pojedeme autem do Vídně.
V neděli babička uvařila výborné maso.
Autobus do Berlína odjíždí ve čtyři hodiny odpoledne ze třetího nástupiště.
Dítě drží malou knihu a tři malí králíci odpočívají v pokoji.
Přidejte pět lžic mléka a míchejte hodinu.
Dva staří studenti odpočívají na ulici.
Starý muž kupuje klobouk na náměstí.
Vysoká dívka v bílém kabátu zpívá na pláži.
Unavené dítě čeká před domem s králíkem.
Můžete mi doporučit klidnou restauraci blízko hotelu?
Ráno bratr jel vlakem do Drážďan.
Hledáme hotel blízko restaurace.
Veselý lékař běží za plotem.
Mladá žena si hraje blízko nádraží s velkým psem.
Přidejte sklenici vody a míchejte deset minut.
V pátek soused pojede autem do Ostravy.
Vlak z Vídně přijíždí v devět hodin ráno.
Včera strýc koupil chléb.
Starý chlapec maluje plot a dva malí psi si hrají u řeky.
Autobus do Plzně odjíždí ve tři hodiny odpoledne ze třetího nástupiště.
Muž si hraje v parku s kočkou.
Vysoký student v černém tričku sedí v parku.
Přidejte tři lžíce oleje a míchejte dvě minuty.
Strýc snědl velký salát.
Zpěvačka v červeném klobouku čeká na ulici.
Na Vánoce soused koupil víno.
Student drží modrý deštník a dva bílí králíci spí na zahradě.
Stará žena kupuje deštník na náměstí.
V sobotu večer sestra dala matce polévku.
V neděli číšník snědl dort.
Mladý turista tančí na hřišti.
V misce je cibule.
Starý chlapec pozoruje krásný obraz.
Na Vánoce soused poslal kuchaři dort.
Veselý turista v zelené bundě tančí na zahradě.
V neděli otec přinesl babičce teplou rybu.
Můžete mi ukázat nejlepší hotel blízko lékárny?
Fotograf nese modrou lavičku pod stromem.
Dnes ráno otec podal kuchaři jablko.
Starý student maluje nový kostel.
Na stole je čerstvý chléb.
Před dvěma dny bratr nejel autobusem do Drážďan.
Jak se dostanu od pošty k nejbližší bance?
Lékař ve žluté košili běží v pokoji.
Unavený fotograf v černé košili odpočívá v lese.
Bratr dal sousedce výborný dort.
Starý lékař ve žlutém kabátu sedí v lese.
Minulý týden sestra dala sousedovi salát.
Minulý týden babička přinesla tetě kávu.
Mladá tanečnice v modré bundě čeká před domem.
Našli jsme klidný obchod blízko muzea.
Velký králík si hraje.
Přidejte dvě lžíce mléka a míchejte půl hodiny.
Vlak do Brna odjíždí v sedm hodin večer ze třetího nástupiště.
Přidejte pět lžic medu a pečte půl hodiny.
Starý lékař sedí na náměstí s bílým králíkem.
Kolik stojí cesta autobusem z Brna do Prahy?
Mladá dívka v bílé čepici odpočívá před domem.
Rychlík do Berlína odjíždí v osm hodin večer z druhého nástupiště.
Kolik stojí letenka z Prahy do Brna?
V misce není žádný výborný čaj.
Dělník fotí malou květinu vedle kostela.
Chlapec v bílém klobouku čeká pod stromem.
Starý student čeká v parku s malou kočkou.
Dva černí ptáci spí vedle kostela.
Před dvěma dny jsem přijel pozdě, protože celý den foukal vítr.
Vysoký lékař pozoruje červeného ptáka v parku.
Veselá zpěvačka čte nový dopis na pláži.
Tanečnice se prochází za plotem.
Přidejte lžíci rýže a vařte deset minut.
Dnes ráno matka koupila babičce čerstvý sýr.
Hledáme novou restauraci blízko nemocnice.
Vysoký dělník fotí staré auto v lese.
Před dvěma dny teta jela autobusem do Brna.
Dělník v černé čepici tančí v parku.
Včera soused dal dědečkovi čerstvý chléb.
Přidejte tři lžíce mouky a míchejte hodinu.
Veselý turista hledá míč a dva psi si hrají pod stromem.
Rychlík do Ostravy odjíždí v devět hodin ráno ze třetího nástupiště.
Ráno sestra jela autem do Říma.
Před hodinou dědeček koupil sestře chléb.
Můžete mi doporučit malou kavárnu blízko nádraží?
Po obědě babička ochutnala výborné víno.
Přidejte hrnek mouky a pečte hodinu.
Starý chlapec v černé čepici se prochází blízko nádraží.
Veselý chlapec pozoruje krásný obraz, zatímco dva velcí psi stojí na ulici.
Jak se dostanu od muzea k nejbližšímu hotelu?
Veselá tanečnice drží velkou knihu, zatímco pět králíků čeká na zahradě.
Přidejte tři lžíce rýže a smažte dvě minuty.
Starý turista nese velký batoh, zatímco si dva bílí psi hrají v parku.
Dnes ráno sestra koupila čerstvé máslo.
Jak se dostanu od restaurace k nejbližšímu muzeu?
Přidejte pět hrnků oleje a pečte půl hodiny.
V létě bratr pojede autem do Drážďan.
Minulý týden dědeček přinesl otci výborný čaj.
Jak se dostanu od nádraží k nejlevnějšímu hotelu?
V košíku je koláč.
Můžete mi ukázat nejbližší banku blízko nemocnice?
Chlapec stojí na zahradě s hnědým psem.
Stará dívka čte knihu v parku.
Můžete mi doporučit malou kavárnu blízko obchodu?
Ráno se vrátili domů, protože nikdo neznal cestu.
Na Vánoce dědeček dal matce sýr.
V pondělí jsem nestihl vlak, protože bylo krásné počasí.
Přidejte dvě lžíce rýže a míchejte hodinu.
Veselý lékař v zelené čepici zpívá před domem.
V obchodě je studené maso.
V obchodě je čerstvá polévka.
Minulý týden si sestra koupila nový deštník, protože restaurace byla zavřená.
Před dvěma dny jsme nestihli vlak, protože bylo krásné počasí.
Mladý fotograf fotí malou kočku v pokoji.
Včera bratr upekl velký koláč.
Jak se dostanu od obchodu k nejbližší restauraci?
Vlak do Berlína odjíždí ve čtyři hodiny odpoledne ze třetího nástupiště.
Přidejte tři lžíce vody a míchejte deset minut.
Hnědý pták skáče před domem.
Soused nakrájel teplé maso.
Ráno jsme zůstali v hotelu, protože na silnici byla nehoda.
Včera jsme jeli autem do Berlína.
V pondělí teta nejela autobusem do Berlína.
Autobus z Paříže přijíždí v jednu hodinu odpoledne.
Přidejte dvě lžíce mouky a míchejte deset minut.
Příští týden bratr pojede autobusem do Plzně.
Našli jsme hotel blízko kavárny.
Kolik stojí dětská jízdenka z Paříže do Říma?
Fotograf nese novou krabici a dva velcí psi běží za plotem.
Na Vánoce sousedka přinesla bratrovi výbornou rybu.
Minulý týden jsme čekali na nádraží, protože bylo krásné počasí.
Dva staří turisté odpočívají.
Autobus z Paříže přijíždí v devět hodin ráno.
Kde je nejlepší hotel blízko banky?
Dva velcí ptáci sedí v parku.
Muž odpočívá na hřišti.
Na Vánoce číšník dal tetě velký dort.
Přidejte tři hrnky rýže a smažte hodinu.
Včera jeli autobusem do Drážďan.
Rychlík z Vídně přijíždí v osm hodin večer.
Našli jsme divadlo blízko obchodu.
Dívka v bílém kabátu sedí na náměstí.
Starý lékař hledá malou mapu u řeky.
Mladý muž drží malý košík, zatímco tři hnědí psi běží před domem.
Ve skříni je chléb.
Dvě malé kočky spí v parku.
Dědeček poslal číšníkovi salát.
Autobus do Plzně odjíždí v osm hodin ráno.
V neděli teta nakrájela velké jablko.
Hledáme levnou restauraci blízko kavárny.
Můžete mi doporučit klidné divadlo blízko kostela?
Fotograf hledá klobouk na pláži.
Přidejte dvě sklenice mléka a vařte pět minut.
Číšník přinesl sousedovi výbornou rybu.
Vysoký student si hraje na hřišti s králíkem.
V misce je cukr.
Na Vánoce kuchař podal otci čerstvý koláč.
Kolik stojí taxi z Ostravy do Paříže?
Můžete mi ukázat nejlevnější muzeum blízko lékárny?
Mladý turista čeká na náměstí s černým králíkem.
Přidejte tři lžíce medu a míchejte dvě minuty.
Před hodinou bratr přinesl číšníkovi salát.
V košíku je čerstvá polévka.
Jak se dostanu od restaurace k nejbližší bance?
Kolik stojí dětská jízdenka z Berlína do Brna?
Ráno soused čekal na nádraží, protože na silnici byla nehoda.
Ráno jsme si koupili nový deštník, protože na silnici byla nehoda.
Veselá zpěvačka se prochází v lese s hnědou kočkou.
Na stole není žádný výborný čaj.
Po obědě číšník koupil čerstvý sýr.
Minulý rok soused zůstal v hotelu, protože most byl zavřený.
V lednici není žádný čerstvý sýr.
Mladý muž maluje nové okno.
Vlak do Ostravy odjíždí v osm hodin večer ze čtvrtého nástupiště.
Dva muži se procházejí na hřišti.
Starý muž čeká na náměstí s bílou kočkou.
V sobotu večer matka snědla čerstvé jablko.
Rychlík do Berlína odjíždí v pět hodin odpoledne ze čtvrtého nástupiště.
Vlak do Ostravy odjíždí v jednu hodinu odpoledne ze čtvrtého nástupiště.
Před hodinou dědeček dal babičce výborný čaj.
Unavený fotograf ve žlutém klobouku čeká pod stromem.
Hledáme klidné divadlo blízko lékárny.
Dnes ráno bratr podal kuchaři polévku.
Kolik stojí dětská jízdenka z Říma do Berlína?
Přidejte pět hrnků medu a smažte hodinu.
V lednici je čerstvý salát.
Přidejte pět lžic rýže a vařte deset minut.
Teta podala strýci máslo.
Pět psů čeká před domem.
Za dva dny pojedeme vlakem do Plzně.
Před hodinou teta podala číšníkovi velký dort.
Minulý týden jsem si vzal taxi, protože most byl zavřený.
Dnes ráno číšník vypil studenou kávu.
Jak se dostanu od kostela k nejlepšímu hotelu?
Kolik stojí jízdenka z Paříže do Brna?
Vysoký muž opravuje velké kolo, zatímco tři ptáci běží u řeky.
Veselé dítě v červené čepici zpívá za plotem.
Na Vánoce babička podala sousedce výbornou kávu.
Přidejte hrnek vína a míchejte hodinu.
Kolik stojí jízdenka z Paříže do Plzně?
Kolik stojí dětská jízdenka z Ostravy do Vídně?
Veselý student pozoruje loď v pokoji.
Ráno jsme jeli vlakem do Ostravy.
Unavené dítě kupuje nové kolo a pět bílých králíků odpočívá před domem.
Mladá zpěvačka hledá nový batoh, zatímco dva bílí ptáci čekají v parku.
Unavený muž stojí na hřišti.
Dva staří turisté skáčou za plotem.
Před dvěma dny jsme si vzali taxi, protože nikdo neznal cestu.
Přidejte sklenici vody a smažte dvacet minut.
V poledne strýc podal číšníkovi čerstvý koláč.
Mladá tanečnice nese kufr blízko nádraží.
Kde je nejlepší obchod blízko nádraží?
Mladý fotograf opravuje modrý most na zahradě.
Přidejte dva hrnky rýže a smažte dvě minuty.
Starý student myje malou lavičku na hřišti.
Chlapec spí pod stromem.
Před dvěma dny soused nejel autobusem do Berlína.
Po obědě kuchař upekl maso.
Otec ochutnal výborný koláč.
Minulý týden bratr koupil babičce výborný sýr.
Dělník ve žluté bundě odpočívá za plotem.
Kolik stojí jízdenka z Ostravy do Brna?
Hledáme dobrý hotel blízko kavárny.
Rychlík do Plzně odjíždí v šest hodin večer.
Kolik stojí zpáteční jízdenka z Ostravy do Drážďan?
V košíku není žádné výborné máslo.
Vlak do Berlína odjíždí v pět hodin odpoledne.
V sobotu večer dědeček poslal otci studenou rybu.
Můžete mi ukázat nejbližší restauraci blízko muzea?
V košíku není žádný výborný koláč.
Minulý týden jsem si vzal taxi, protože nikdo neznal cestu.
Muž kupuje starý obraz v pokoji.
Dívka v modré košili se prochází u řeky.
Kolik stojí cesta autobusem z Říma do Ostravy?
Přidejte dvě sklenice vína a smažte pět minut.
V misce není žádné mléko.
Autobus do Plzně odjíždí v sedm hodin ráno.
Student opravuje nové letadlo a pět černých psů sedí v lese.
Vlak do Ostravy odjíždí v osm hodin večer z druhého nástupiště.
Můžete mi ukázat nejlevnější obchod blízko kostela?
Můžete mi ukázat nejbližší muzeum blízko obchodu?
Veselé dítě stojí v pokoji s černým psem.
Můžete mi ukázat nejbližší banku blízko kostela?
Vysoké dítě v černé košili tančí pod stromem.
Mladý turista odpočívá vedle kostela s černým psem.
Kolik stojí jízdenka z Vídně do Ostravy?
Příští týden sestra pojede vlakem do Berlína.
Mladý chlapec se prochází na ulici s malou kočkou.
Minulý týden odešli brzy, protože nikdo neznal cestu.
Fotograf v bílém klobouku běží v lese.
Dědeček vypil výbornou kávu.
Student myje nové kolo, zatímco si tři hnědí ptáci hrají před domem.
Chlapec stojí na náměstí.
Zpěvačka se prochází blízko nádraží s hnědým králíkem.
Unavený student se prochází na pláži s velkým psem.
Ve skříni je salát.
Vysoká tanečnice drží velkou knihu, zatímco dva malí ptáci odpočívají blízko nádraží.
Přidejte pět sklenic vína a vařte dvacet minut.
Vysoká tanečnice v červeném kabátu tančí v pokoji.
Přidejte sklenici mouky a vařte dvě minuty.
Stará žena maluje malý plot v lese.
Mladá zpěvačka ve žlutém klobouku zpívá vedle kostela.
V košíku není žádná čerstvá omáčka.
Našli jsme levný hotel blízko banky.
V poledne dědeček upekl výbornou rybu.
Jak se dostanu od nádraží k nejbližší poště?
Včera sestra jela vlakem do Plzně.
Přidejte tři hrnky rýže a vařte pět minut.
Vlak do Plzně odjíždí v devět hodin ráno z druhého nástupiště.
Unavený fotograf čeká.
Kolik stojí dětská jízdenka z Plzně do Vídně?
Přidejte tři sklenice cukru a pečte dvě minuty.
Kolik stojí cesta autobusem z Londýna do Ostravy?
Hledáme obchod blízko muzea.
Kolik stojí taxi z Paříže do Říma?
Včera číšník snědl rybu.
Přidejte lžíci vody a vařte půl hodiny.
V létě soused pojede autobusem do Ostravy.
Zpěvačka stojí v lese s bílým psem.
Unavený lékař ve žlutém tričku čeká na pláži.
V pondělí jsme jeli autobusem do Prahy.
Unavená žena kupuje velký obraz.
Unavená žena běží.
Kolik stojí letenka z Prahy do Ostravy?
Lékař odpočívá u řeky s velkým králíkem.
Kolik stojí jízdenka z Vídně do Prahy?
Starý student hraje na klavír a tři psi si hrají v parku.
Minulý týden dědeček uvařil rýži.
Fotograf stojí před domem s malým králíkem.
Mladý muž hledá modrý deštník.
Dvě mladé tanečnice odpočívají.
V sobotu večer babička nakrájela chléb.
Přidejte dvě lžíce vody a míchejte hodinu.
V obchodě není žádný studený chléb.
Kde je nejbližší restaurace blízko nádraží?
Přidejte tři sklenice rýže a vařte deset minut.
Kolik stojí letenka z Prahy do Paříže?
Unavený fotograf čeká v pokoji se psem.
Přidejte pět sklenic oleje a míchejte deset minut.
Na stole je chléb.
Unavený chlapec maluje loď na ulici.
Kolik stojí taxi z Londýna do Ostravy?
V košíku není žádný studený koláč.
Kde je nejlepší kavárna blízko kostela?
Mladá dívka se prochází u řeky s králíkem.
Včera jsem odešel brzy, protože nikdo neznal cestu.
Minulý rok se vrátili domů, protože byla velká zima.
Ráno bratr zůstal v hotelu, protože vlak měl zpoždění.
Minulý týden bratr čekal na nádraží, protože vlak měl zpoždění.
Přidejte tři hrnky cukru a smažte půl hodiny.
Minulý rok sestra přijela pozdě, protože restaurace byla zavřená.
Dvě staré dívky tančí u řeky.
Pět hnědých ptáků skáče.
V lednici je čerstvá ryba.
Pět bílých koček odpočívá.
V sobotu večer dědeček podal babičce výborný čaj.
Včera nestihli vlak, protože byla velká zima.
Veselý student si hraje v lese s kočkou.
Ve skříni není žádný salát.
Muž skáče.
Unavená tanečnice nese červený batoh a pět velkých ptáků spí na ulici.
Přidejte pět hrnků vody a vařte dvacet minut.
Dívka maluje okno.
Unavený chlapec v červené bundě zpívá na ulici.
V pondělí jsme zůstali v hotelu, protože most byl zavřený.
Mladý lékař hledá krásnou mapu blízko nádraží.
Můžete mi ukázat nejlepší muzeum blízko kostela?
Minulý týden teta jela autem do Brna.
Můžete mi doporučit malý hotel blízko muzea?
Veselý lékař fotí kostel, zatímco pět černých koček odpočívá v pokoji.
Dělník v zeleném kabátu tančí na náměstí.
V sobotu večer kuchař připravil salát.
V misce je výborné máslo.
Kolik stojí letenka z Brna do Londýna?
Starý chlapec stojí v parku s malým králíkem.
Mladá zpěvačka drží malý míč na náměstí.
Mladý fotograf se prochází za plotem s hnědým psem.
Jak se dostanu od banky k nejbližší lékárně?
Sestra podala sousedce čerstvou polévku.
Student drží knihu na ulici.
Kolik stojí jízdenka z Brna do Paříže?
Mladý student pozoruje psa v parku.
V pondělí bratr nejel autobusem do Paříže.
Přidejte pět sklenic medu a smažte půl hodiny.
V lednici je výborný koláč.
V poledne soused koupil kuchaři výborný sýr.
Před dvěma dny přijeli pozdě, protože vlak měl zpoždění.
Starý dělník fotí most v pokoji.
Ve skříni je studený koláč.
Hledáme dobrý obchod blízko lékárny.
Starý lékař se prochází v lese s hnědým králíkem.
Jak se dostanu od kostela k nejbližší kavárně?
Unavená zpěvačka v zelené bundě odpočívá na hřišti.
V neděli soused koupil sestře dort.
Včera jsme přijeli pozdě, protože vlak měl zpoždění.
Vlak do Plzně odjíždí v šest hodin večer z druhého nástupiště.
Můžete mi ukázat nejlevnější kavárnu blízko nádraží?
Ve skříni není žádné čerstvé mléko.
V obchodě není žádný salát.
Před dvěma dny jsem nejel vlakem do Říma.
Mladá zpěvačka čeká před domem.
Můžete mi ukázat nejlepší kavárnu blízko nádraží?
Autobus z Prahy přijíždí v šest hodin ráno.
Dva bílí ptáci stojí.
Ve skříni není žádný čaj.
Přidejte tři sklenice vína a míchejte půl hodiny.
Před dvěma dny jsem šel do muzea, protože na silnici byla nehoda.
Starý dělník v černém tričku stojí na náměstí.
Vlak z Londýna přijíždí v devět hodin ráno.
Zítra pojedeme vlakem do Vídně.
V pondělí jeli autobusem do Vídně.
Mladá zpěvačka si hraje vedle kostela s bílým psem.
Mladý dělník běží na ulici s velkou kočkou.
Dnes ráno číšník podal dědečkovi studenou rybu.
Dva černí ptáci stojí na pláži.
Starý chlapec myje starou loď, zatímco tři malí ptáci skáčou pod stromem.
Hledáme klidné divadlo blízko muzea.
Přidejte sklenici oleje a pečte půl hodiny.
Kolik stojí zpáteční jízdenka z Londýna do Vídně?
Vlak do Ostravy odjíždí ve čtyři hodiny odpoledne z druhého nástupiště.
Hledáme levnou kavárnu blízko banky.
V neděli sousedka upekla teplé maso.
Mladý lékař hledá červený deštník v lese.
Minulý rok teta zůstala v hotelu, protože restaurace byla zavřená.
V neděli sestra snědla výborný dort.
Minulý týden bratr zůstal v hotelu, protože restaurace byla zavřená.
Mladá zpěvačka stojí pod stromem s černým psem.
Vysoký student čeká v pokoji s černou kočkou.
Mladá tanečnice drží starý deštník a dva bílí ptáci sedí na pláži.
Unavený lékař čeká blízko nádraží.
Můžete mi ukázat nejlevnější divadlo blízko nemocnice?
Můžete mi ukázat nejbližší kavárnu blízko nemocnice?
Přidejte tři sklenice rýže a pečte půl hodiny.
Veselá dívka ve žluté košili běží před domem.
Přidejte pět lžic cukru a pečte dvacet minut.
Kde je nejbližší obchod blízko kostela?
Dvě unavené děti skáčou na náměstí.
Ráno jeli vlakem do Říma.
Autobus do Drážďan odjíždí v šest hodin večer ze čtvrtého nástupiště.
Dítě pozoruje ptáka.
Dva staří studenti běží na ulici.
Veselá zpěvačka si hraje za plotem s malou kočkou.
Veselá tanečnice maluje modrou lavičku a tři malí psi běží blízko nádraží.
Ráno jsem nestihl vlak, protože nikdo neznal cestu.
Ráno sestra zůstala v hotelu, protože bylo krásné počasí.
Minulý rok si teta koupila nový deštník, protože celý den foukal vítr.
Turista fotí červený most, zatímco tři bílí psi skáčou na ulici.
Přidejte tři lžíce mouky a smažte hodinu.
Starý chlapec drží míč vedle kostela.
Přidejte dvě sklenice cukru a pečte hodinu.
Kočka odpočívá.
Můžete mi ukázat nejlepší divadlo blízko lékárny?
Mladý chlapec hledá malý kufr.
V sobotu večer babička přinesla bratrovi výborný čaj.
Přidejte tři hrnky mléka a vařte dvě minuty.
Přidejte tři lžíce vody a vařte dvě minuty.
Kolik stojí letenka z Berlína do Londýna?
V poledne strýc dal otci rybu.
Minulý týden jsem šel do muzea, protože byla velká zima.
Vlak do Vídně odjíždí v pět hodin ráno z druhého nástupiště.
Autobus do Londýna odjíždí v pět hodin odpoledne z prvního nástupiště.
Včera soused jel vlakem do Berlína.
Vlak do Plzně odjíždí v devět hodin ráno z prvního nástupiště.
Rychlík do Paříže odjíždí ve tři hodiny odpoledne.
Turista nese kufr, zatímco tři velké kočky čekají na ulici.
Dnes ráno dědeček uvařil čerstvou polévku.
Rychlík do Plzně odjíždí ve dvě hodiny odpoledne z druhého nástupiště.
Rychlík z Vídně přijíždí ve dvě hodiny odpoledne.
Autobus do Brna odjíždí v devět hodin ráno ze třetího nástupiště.
Přidejte sklenici mléka a pečte deset minut.
V sobotu večer matka dala dědečkovi salát.
Našli jsme levný obchod blízko banky.
Ráno jsem si koupil nový deštník, protože vlak měl zpoždění.
Kolik stojí jízdenka z Plzně do Paříže?
Starý turista v zelené bundě čeká na zahradě.
Za dva dny pojedou autobusem do Vídně.
Pět lékařů skáče v parku.
V košíku není žádný teplý čaj.
Bratr upekl výborný dort.
Ráno se soused vrátil domů, protože byla velká zima.
Dnes ráno bratr přinesl kuchaři čerstvý koláč.
Turista tančí za plotem.
V sobotu večer soused podal tetě výborný čaj.
Kde je nejlepší restaurace blízko banky?
Starý student ve žluté čepici čeká před domem.
Ráno sestra šla do muzea, protože restaurace byla zavřená.
Autobus do Vídně odjíždí v osm hodin večer ze třetího nástupiště.
V poledne bratr ochutnal výbornou omáčku.
Kolik stojí letenka z Brna do Berlína?
Hledáme malý obchod blízko pošty.
Minulý týden soused odešel brzy, protože vlak měl zpoždění.
Turista hledá starý klíč a tři bílé kočky si hrají vedle kostela.
V pondělí bratr přijel pozdě, protože vlak měl zpoždění.
Přidejte hrnek soli a míchejte půl hodiny.
Před dvěma dny si sestra koupila nový deštník, protože restaurace byla zavřená.
Kde je nejbližší pošta blízko obchodu?
Dělník pozoruje modrého králíka na pláži.
Můžete mi doporučit restauraci blízko kostela?
Student v červené bundě tančí za plotem.
Unavená dívka drží mapu a dva velcí psi odpočívají blízko nádraží.
Mladá dívka nese nový deštník vedle kostela.
Fotograf v černém kabátu zpívá na hřišti.
Žena drží klobouk a tři králíci stojí blízko nádraží.
Unavený student drží míč a tři černé kočky čekají na hřišti.
Ráno teta čekala na nádraží, protože restaurace byla zavřená.
Zpěvačka v bílé košili stojí vedle kostela.
Dívka sedí u řeky s malou kočkou.
Strýc koupil matce výborný čaj.
Mladá dívka odpočívá na hřišti s hnědým psem.
Ráno jsme si vzali taxi, protože nikdo neznal cestu.
Kočka čeká blízko nádraží.
Veselý muž fotí most a dva hnědí králíci sedí na ulici.
Veselý chlapec maluje modrou loď a tři velcí ptáci čekají vedle kostela.
Mladá žena v zelené čepici běží u řeky.
V pondělí jsme jeli autobusem do Ostravy.
Přidejte hrnek mouky a smažte dvě minuty.
Dnes ráno sestra poslala babičce výborné jablko.
Můžete mi doporučit levnou kavárnu blízko kostela?
Přidejte tři hrnky vody a smažte deset minut.
Dva dělníci tančí.
Otec ochutnal studenou polévku.
Mladý muž nese krabici a pět velkých psů odpočívá v pokoji.
Vysoký fotograf se prochází vedle kostela s velkou kočkou.
Vlak z Berlína přijíždí v devět hodin večer.
Vlak do Paříže odjíždí v deset hodin večer ze třetího nástupiště.
V neděli strýc dal babičce jablko.
Mladá tanečnice sedí pod stromem s bílým králíkem.
Dívka ve žluté košili stojí v pokoji.
Kolik stojí taxi z Ostravy do Drážďan?
Po obědě soused přinesl babičce salát.
Minulý týden otec podal dědečkovi studenou rybu.
V poledne soused uvařil teplou polévku.
Mladý muž fotí červenou květinu, zatímco pět hnědých ptáků čeká na ulici.
Pět malých psů sedí v parku.
Před dvěma dny bratr nejel autem do Londýna.
Chlapec maluje velký plot za plotem.
Veselé dítě v bílé čepici zpívá za plotem.
V sobotu večer sestra nakrájela výborné jablko.
Jak se dostanu od kavárny k nejlepšímu hotelu?
Před dvěma dny jsme šli do muzea, protože na silnici byla nehoda.
Kolik stojí letenka z Londýna do Říma?
Veselý fotograf maluje kostel na zahradě.
Starý muž pozoruje novou loď před domem.
Kolik stojí cesta autobusem z Londýna do Říma?
Našli jsme levné muzeum blízko nádraží.
Kde je nejbližší lékárna blízko nemocnice?
Vlak z Říma přijíždí v pět hodin odpoledne.
Mladý lékař v modré košili zpívá na hřišti.
Přidejte pět lžic vody a smažte dvě minuty.
Kolik stojí jízdenka z Paříže do Ostravy?
Minulý rok sestra jela autem do Paříže.
Můžete mi doporučit obchod blízko pošty?
Vysoký student hledá starý batoh a pět velkých králíků spí na náměstí.
Po obědě číšník nakrájel jablko.
Veselé dítě stojí pod stromem s hnědou kočkou.
Mladá žena hledá mapu.
V neděli kuchař ochutnal čerstvý sýr.
Pět bílých psů běží blízko nádraží.
Tanečnice ve žluté košili běží pod stromem.
Student nese malý obraz vedle kostela.
Rychlík do Paříže odjíždí v osm hodin ráno z druhého nástupiště.
Přidejte sklenici soli a smažte hodinu.
V sobotu večer otec podal kuchaři výborný chléb.
Dva velcí králíci skáčou na zahradě.
Dvě černé kočky stojí pod stromem.
Přidejte sklenici soli a míchejte pět minut.
V lednici není žádný studený čaj.
Dívka v černé čepici se prochází v parku.
Přidejte tři sklenice oleje a míchejte půl hodiny.
Minulý týden babička poslala sestře výborné víno.
Mladý turista čeká za plotem s bílým psem.
Vysoká tanečnice ve žluté čepici čeká před domem.
Minulý týden teta nakrájela velkou cibuli.
Mladý muž sedí na pláži s hnědým králíkem.
Jak se dostanu od restaurace k nejbližší poště?
Přidejte hrnek soli a míchejte hodinu.
Přidejte tři lžíce mouky a vařte půl hodiny.
Kde je nejbližší nádraží blízko restaurace?
Můžete mi doporučit novou restauraci blízko nádraží?
Vysoký turista opravuje velké letadlo a tři malí králíci spí na ulici.
Pět dělníků se prochází pod stromem.
Mladá dívka běží blízko nádraží s malým králíkem.
Ráno jsme jeli vlakem do Berlína.
Kolik stojí dětská jízdenka z Vídně do Ostravy?
Minulý rok jsme přijeli pozdě, protože na silnici byla nehoda.
Vysoký chlapec hledá malý klíč a tři velcí králíci skáčou v lese.
Kolik stojí cesta autobusem z Ostravy do Vídně?
V pondělí bratr zůstal v hotelu, protože bylo krásné počasí.
Ráno bratr čekal na nádraží, protože na silnici byla nehoda.
Kolik stojí jízdenka z Paříže do Drážďan?
Na Vánoce babička dala strýci máslo.
Mladá dívka čeká na ulici s malým psem.
Pět mladých studentů si hraje v lese.
Minulý týden jsme odešli brzy, protože most byl zavřený.
V poledne sousedka dala bratrovi výborný chléb.
Kolik stojí letenka z Říma do Ostravy?
Student nese velkou kytaru, zatímco pět černých psů skáče na pláži.
Mladý muž drží starou kytaru a dva ptáci stojí na zahradě.
Kolik stojí cesta autobusem z Brna do Plzně?
Přidejte pět hrnků soli a pečte hodinu.
Veselá tanečnice v modré čepici sedí před domem.
Vlak z Ostravy přijíždí v deset hodin večer.
Vysoký turista fotí nové letadlo, zatímco pět bílých koček běží pod stromem.
Student nese obraz.
Dnes večer pojedeme autem do Prahy.
Žena stojí na ulici s bílým králíkem.
Tanečnice drží míč u řeky.
Můžete mi ukázat nejbližší divadlo blízko nádraží?
Student fotí malou loď, zatímco pět hnědých koček sedí na zahradě.
Ráno jsme čekali na nádraží, protože vlak měl zpoždění.
Hledáme muzeum blízko hotelu.
Minulý rok jsme zůstali v hotelu, protože pršelo.
Kolik stojí taxi z Říma do Brna?
Před dvěma dny jsme odešli brzy, protože pršelo.
V neděli dědeček koupil výborné víno.
Minulý týden si teta koupila nový deštník, protože nikdo neznal cestu.
Rychlík do Prahy odjíždí ve čtyři hodiny odpoledne z druhého nástupiště.
Kolik stojí cesta autobusem z Paříže do Říma?
Minulý týden dědeček poslal sousedce dort.
Přidejte pět sklenic cukru a vařte deset minut.
Kolik stojí cesta autobusem z Prahy do Plzně?
Starý turista běží u řeky se psem.
Starý turista pozoruje nové letadlo a dva králíci čekají na hřišti.
Chlapec v červeném klobouku zpívá na pláži.
Kde je nejlepší hotel blízko muzea?
Unavený fotograf fotí krásný dům a dva velcí psi si hrají za plotem.
Našli jsme nové muzeum blízko nádraží.
Minulý rok soused nestihl vlak, protože restaurace byla zavřená.
Mladá tanečnice hledá psa v parku.
Kuchař dal dědečkovi čerstvé jablko.
Kolik stojí cesta autobusem z Brna do Drážďan?
Kolik stojí letenka z Plzně do Paříže?
Našli jsme nový obchod blízko muzea.
Dvě tanečnice skáčou na zahradě.
Mladý dělník v černém kabátu zpívá u řeky.
Našli jsme dobré muzeum blízko obchodu.
Starý student opravuje auto u řeky.
Včera sestra nejela autobusem do Říma.
Turista kupuje velkou květinu v lese.
Pět veselých tanečnic se prochází na ulici.
Ráno jsme čekali na nádraží, protože restaurace byla zavřená.
Přidejte dvě sklenice vína a pečte dvě minuty.
Přidejte dvě sklenice mouky a vařte dvacet minut.
Rychlík do Vídně odjíždí ve tři hodiny odpoledne z druhého nástupiště.
Kde je nejlepší divadlo blízko hotelu?
Dítě opravuje staré auto.
Kolik stojí dětská jízdenka z Prahy do Paříže?
Unavená dívka fotí novou loď, zatímco dva hnědí psi skáčou na ulici.
Ráno jsme jeli autobusem do Ostravy.
Jak se dostanu od nádraží k nejbližšímu obchodu?
Kolik stojí letenka z Berlína do Brna?
Kde je nejbližší banka blízko hotelu?
Přidejte dvě lžíce rýže a vařte deset minut.
Jak se dostanu od lékárny k nejbližší nemocnici?
Vysoký turista tančí u řeky.
Žena stojí na ulici s králíkem.
Přidejte lžíci vody a smažte pět minut.
V poledne číšník podal tetě teplou polévku.
Minulý týden teta čekala na nádraží, protože vlak měl zpoždění.
Vysoký dělník čte knihu na pláži.
Lékař drží krásný košík a dvě kočky běží v parku.
Pět hnědých koček čeká pod stromem.
Jak se dostanu od pošty k nejbližšímu obchodu?
Přidejte dva hrnky vody a vařte dvě minuty.
Můžete mi ukázat nejbližší nemocnici blízko restaurace?
Našli jsme dobrou restauraci blízko hotelu.
Po obědě číšník připravil čaj.
V misce není žádný studený cukr.
Zítra teta pojede autobusem do Londýna.
Kolik stojí jízdenka z Paříže do Berlína?
Kolik stojí jízdenka z Londýna do Plzně?
Hledáme levné divadlo blízko nádraží.
Vlak do Říma odjíždí v devět hodin ráno z druhého nástupiště.
Soused koupil čerstvou rybu.
Veselý student myje krásné auto blízko nádraží.
Před hodinou matka koupila výborný dort.
Jak se dostanu od nádraží k nejbližší restauraci?
Vysoký muž stojí v lese s bílým psem.
Dva veselí lékaři čekají.
Můžete mi ukázat nejbližší poštu blízko lékárny?
Mladá žena v černé košili sedí na ulici.
Zpěvačka drží novou kytaru, zatímco dva bílí králíci sedí na ulici.
Mladá dívka v modrém kabátu stojí na zahradě.
V košíku není žádné čerstvé mléko.
Rychlík do Říma odjíždí v devět hodin večer z prvního nástupiště.
Můžete mi doporučit klidnou kavárnu blízko pošty?
Kolik stojí dětská jízdenka z Drážďan do Plzně?
Včera zůstali v hotelu, protože pršelo.
Fotograf se prochází za plotem se psem.
Vlak z Plzně přijíždí v devět hodin ráno.
Kolik stojí cesta autobusem z Plzně do Drážďan?
Dva vysocí studenti tančí za plotem.
Kolik stojí cesta autobusem z Drážďan do Berlína?
Včera jsme odešli brzy, protože na silnici byla nehoda.
Stará žena nese krásnou lavičku, zatímco tři malé kočky sedí u řeky.
Mladý lékař kupuje nový obraz na hřišti.
Veselý turista kupuje malé kolo, zatímco pět králíků odpočívá u řeky.
Dívka maluje staré okno a dva velcí psi běží u řeky.
Bratr nakrájel cibuli.
Unavená dívka odpočívá na ulici s hnědou kočkou.
Kolik stojí cesta autobusem z Říma do Paříže?
Ve skříni je výborné mléko.
Zítra soused pojede autem do Brna.
Unavená tanečnice nese novou lavičku.
Vysoký turista fotí starou loď v lese.
Mladá dívka v červené košili čeká na hřišti.
Našli jsme dobré muzeum blízko kostela.
Unavený turista drží starou květinu a tři bílé kočky čekají blízko nádraží.
Unavená žena pozoruje nového ptáka pod stromem.
Ráno soused nejel autobusem do Prahy.
Kolik stojí jízdenka z Říma do Paříže?
Ráno si bratr koupil nový deštník, protože byla velká zima.
Veselý lékař odpočívá vedle kostela s velkým králíkem.
V pátek pojedu vlakem do Berlína.
Dva ptáci čekají na pláži.
Veselé dítě v černé bundě čeká za plotem.
Tři hnědí psi čekají na hřišti.
Před dvěma dny jsme jeli autobusem do Drážďan.
Zítra pojedeme autobusem do Brna.
Vysoká zpěvačka opravuje krásné letadlo a dvě černé kočky běží v parku.
Mladá zpěvačka v bílém klobouku tančí za plotem.
Unavené dítě fotí červené letadlo a tři bílé kočky sedí v pokoji.
V sobotu večer otec koupil dědečkovi čerstvý salát.
Unavený fotograf si hraje v pokoji s velkým králíkem.
Na Vánoce bratr koupil maso.
Chlapec běží v parku s hnědým psem.
Muž drží modrý míč na zahradě.
Kolik stojí cesta autobusem z Říma do Londýna?
Přidejte sklenici medu a vařte pět minut.
Ve skříni je ryba.
Kolik stojí taxi z Vídně do Plzně?
Minulý týden jsem jel autem do Berlína.
Jak se dostanu od muzea k nejbližší poště?
Velká kočka sedí na hřišti.
Přidejte hrnek cukru a pečte hodinu.
Na Vánoce číšník nakrájel výborné jablko.
Můžete mi doporučit dobrý obchod blízko kavárny?
Dnes večer pojedou vlakem do Drážďan.
Minulý týden jsme jeli autobusem do Prahy.
Stará zpěvačka kupuje knihu, zatímco dva velcí ptáci skáčou u řeky.
Kolik stojí zpáteční jízdenka z Brna do Londýna?
Kde je nejbližší restaurace blízko obchodu?
Kolik stojí zpáteční jízdenka z Londýna do Drážďan?
Minulý týden sestra zůstala v hotelu, protože na silnici byla nehoda.
Hledáme dobré divadlo blízko obchodu.
Před dvěma dny bratr jel autem do Říma.
Minulý týden bratr jel autobusem do Prahy.
Včera sestra jela autobusem do Paříže.
Před dvěma dny bratr přijel pozdě, protože na silnici byla nehoda.
Minulý týden kuchař přinesl sousedovi víno.
Na stole je studený chléb.
Po obědě soused dal bratrovi víno.
