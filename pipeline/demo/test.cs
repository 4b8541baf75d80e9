Fotograf hledá krásný kufr, zatímco dva velcí psi spí za plotem.
Včera sestra nestihla vlak, protože restaurace byla zavřená.
Vlak do Prahy odjíždí v šest hodin ráno z prvního nástupiště.
Hledáme levný obchod blízko pošty.
Včera soused upekl teplý chléb.
Jak se dostanu od banky k nejlevnějšímu muzeu?
Unavený muž sedí na zahradě.
Ráno jsme přijeli pozdě, protože restaurace byla zavřená.
Na Vánoce soused podal matce čerstvé máslo.
V košíku je ryba.
V pondělí sestra čekala na nádraží, protože restaurace byla zavřená.
Mladý turista odpočívá na ulici s černým králíkem.
Jak se dostanu od muzea k nejbližší nemocnici?
Hledáme divadlo blízko hotelu.
V neděli soused poslal matce studené víno.
Tři mladí turisté běží na náměstí.
Dvě hnědé kočky si hrají vedle kostela.
Unavené dítě kupuje novou mapu v lese.
Včera soused nejel autobusem do Prahy.
V pondělí bratr jel vlakem do Prahy.
Našli jsme levnou restauraci blízko kavárny.
Žena drží velký klobouk blízko nádraží.
Včera soused jel vlakem do Ostravy.
Jak se dostanu od hotelu k nejlevnějšímu muzeu?
Dnes ráno sestra koupila studenou rybu.
Vysoký lékař maluje modrou loď, zatímco tři bílí ptáci spí v lese.
Přidejte pět sklenic mléka a míchejte deset minut.
Veselý turista nese malý batoh a dvě malé kočky spí pod stromem.
Unavený fotograf běží v pokoji.
Kolik stojí dětská jízdenka z Prahy do Drážďan?
Teta přinesla matce čaj.
Unavený student ve žlutém klobouku se prochází na zahradě.
Minulý týden sestra nejela vlakem do Drážďan.
Našli jsme klidnou restauraci blízko divadla.
Přidejte sklenici soli a pečte hodinu.
Mladý dělník v červeném kabátu běží na ulici.
Před dvěma dny bratr jel vlakem do Berlína.
Včera sestra jela vlakem do Brna.
Autobus do Plzně odjíždí v osm hodin večer ze čtvrtého nástupiště.
Stará žena v modré čepici běží za plotem.
Našli jsme levné muzeum blízko restaurace.
Stará dívka pozoruje psa na ulici.
Včera bratr jel autem do Vídně.
Kolik stojí taxi z Brna do Říma?
Veselý lékař kupuje modrou mapu, zatímco tři malí psi čekají na ulici.
Dědeček podal sousedce čerstvou rybu.
Veselý lékař se prochází blízko nádraží.
Kolik stojí cesta autobusem z Berlína do Ostravy?
Dva unavení lékaři spí.
Přidejte pět hrnků soli a smažte deset minut.
Rychlík do Vídně odjíždí v deset hodin večer.
Veselý dělník kupuje starý batoh vedle kostela.
Přidejte pět sklenic mléka a vařte dvacet minut.
V misce je studený koláč.
Jak se dostanu od lékárny k nejbližšímu nádraží?
Ráno soused zůstal v hotelu, protože vlak měl zpoždění.
Kolik stojí jízdenka z Londýna do Brna?
V lednici je máslo.
Kolik stojí jízdenka z Říma do Ostravy?
Tři staré zpěvačky zpívají pod stromem.
Ve skříni není žádný sýr.
Hledáme restauraci blízko nádraží.
Vysoká zpěvačka myje modré auto, zatímco pět malých ptáků sedí na hřišti.
V pondělí jsem si koupil nový deštník, protože bylo krásné počasí.
Můžete mi doporučit levný obchod blízko hotelu?
Minulý rok se soused vrátil domů, protože sněžilo.
Před dvěma dny soused jel vlakem do Drážďan.
Fotograf drží nový košík, zatímco pět malých psů stojí v parku.
Veselá dívka kupuje červené kolo na zahradě.
Před dvěma dny jsme šli do muzea, protože bylo krásné počasí.
Ráno jsme jeli autobusem do Plzně.
V neděli soused dal sousedce výborný chléb.
Po obědě sestra podala matce výborný sýr.
V misce není žádné maso.
Přidejte dvě sklenice vody a smažte pět minut.
Na stole není žádný chléb.
Hledáme dobré muzeum blízko restaurace.
Minulý rok odešli brzy, protože byla velká zima.
Kde je nejbližší restaurace blízko hotelu?
Před dvěma dny sestra jela autem do Říma.
Unavené dítě odpočívá u řeky.
Přidejte tři sklenice cukru a míchejte deset minut.
Ráno jsme jeli autem do Prahy.
Můžete mi ukázat nejlevnější obchod blízko banky?
Kolik stojí letenka z Říma do Paříže?
Dítě pozoruje obraz vedle kostela.
Turista hledá velký míč pod stromem.
Jak se dostanu od obchodu k nejlepšímu hotelu?
Můžete mi ukázat nejbližší lékárnu blízko hotelu?
Mladá tanečnice skáče v lese.
Mladá dívka v bílé čepici sedí na náměstí.
Strýc přinesl dědečkovi chléb.
Můžete mi ukázat nejlevnější obchod blízko nádraží?
Vlak do Ostravy odjíždí v sedm hodin ráno z prvního nástupiště.
V obchodě není žádný čerstvý koláč.
Jak se dostanu od muzea k nejlepšímu hotelu?
Na stole je výborný salát.
Minulý týden jsem jel autobusem do Ostravy.
Veselý lékař opravuje kolo, zatímco pět černých koček čeká pod stromem.
Hledáme nový hotel blízko restaurace.
Dělník v zeleném klobouku čeká blízko nádraží.
V pondělí sestra čekala na nádraží, protože vlak měl zpoždění.
V misce je výborná rýže.
Kolik stojí dětská jízdenka z Londýna do Berlína?
Po obědě otec koupil teplé maso.
V pondělí soused jel autem do Plzně.
V létě pojedu autobusem do Londýna.
Kolik stojí letenka z Ostravy do Drážďan?
Autobus do Londýna odjíždí v šest hodin ráno z prvního nástupiště.
Soused poslal číšníkovi čerstvý koláč.
Jak se dostanu od kostela k nejbližšímu divadlu?
Starý student pozoruje malou kočku v pokoji.
V neděli soused nakrájel sýr.
Včera si teta koupila nový deštník, protože celý den foukal vítr.
Veselá tanečnice v červené košili čeká na ulici.
Příští týden nepojedeme autem do Říma.
Zpěvačka v zelené bundě čeká u řeky.
Kolik stojí taxi z Ostravy do Říma?
Kde je nejlepší divadlo blízko restaurace?
Můžete mi ukázat nejbližší restauraci blízko divadla?
Tanečnice drží velký klíč a pět velkých psů si hraje na náměstí.
Vysoký student v černém klobouku tančí před domem.
Hledáme klidnou restauraci blízko lékárny.
V košíku je víno.
Vysoký chlapec myje červené auto a dva hnědí ptáci běží u řeky.
Veselý student v zeleném klobouku stojí u řeky.
Starý turista nese modrý košík pod stromem.
Rychlík do Londýna odjíždí v šest hodin ráno.
Mladý turista sedí v parku s bílým psem.
V obchodě není žádná teplá rýže.
Sestra podala sousedovi výborné víno.
Veselý chlapec čte mapu na hřišti.
Student běží na náměstí.
Dnes večer nepojedeme vlakem do Vídně.
Před hodinou otec dal strýci studené víno.
Na Vánoce teta upekla maso.
Přidejte sklenici vody a míchejte půl hodiny.
Starý lékař sedí na hřišti s malým králíkem.
V létě sestra pojede autobusem do Ostravy.
Vysoký chlapec myje auto na pláži.
Stará žena spí u řeky.
Student ve žlutém kabátu odpočívá pod stromem.
Můžete mi doporučit restauraci blízko hotelu?
Starý lékař myje malého psa vedle kostela.
Ráno jsme se vrátili domů, protože bylo krásné počasí.
Včera bratr čekal na nádraží, protože sněžilo.
Vlak do Plzně odjíždí v pět hodin ráno.
Hledáme nové divadlo blízko hotelu.
Vysoký dělník sedí na zahradě s hnědým králíkem.
Stará zpěvačka sedí na ulici s malým psem.
Přidejte dva hrnky oleje a pečte pět minut.
Jak se dostanu od pošty k nejbližšímu hotelu?
V poledne sousedka koupila strýci výbornou kávu.
Na Vánoce otec podal sestře čerstvou rybu.
Včera teta uvařila teplou polévku.
Přidejte sklenici mouky a smažte dvě minuty.
Tři turisté skáčou blízko nádraží.
V misce není žádná výborná káva.
Před hodinou sestra připravila salát.
Starý chlapec čeká v lese s hnědým psem.
V neděli sousedka nakrájela chléb.
Králík odpočívá na zahradě.
Přidejte pět hrnků mouky a vařte deset minut.
Kolik stojí zpáteční jízdenka z Drážďan do Plzně?
Unavené dítě odpočívá blízko nádraží s velkou kočkou.
Minulý týden teta nejela autobusem do Berlína.
V neděli kuchař přinesl bratrovi výborné víno.
Ve skříni je výborný salát.
Včera jsem nestihl vlak, protože bylo krásné počasí.
V lednici je výborný čaj.
Starý fotograf nese červený košík, zatímco si pět černých psů hraje na hřišti.
Starý lékař v bílém kabátu zpívá na ulici.
Minulý týden jsme nejeli vlakem do Prahy.
Kolik stojí taxi z Ostravy do Prahy?
Můžete mi ukázat nejbližší restauraci blízko lékárny?
Sestra podala sousedovi kávu.
Vlak do Londýna odjíždí v devět hodin ráno z prvního nástupiště.
Můžete mi doporučit malou restauraci blízko kavárny?
Ráno jsme přijeli pozdě, protože most byl zavřený.
Tanečnice odpočívá na náměstí s velkou kočkou.
Před hodinou kuchař snědl studený salát.
Pět tanečnic odpočívá.
Na Vánoce sousedka poslala strýci čerstvý dort.
Kde je nejlevnější muzeum blízko hotelu?
V poledne teta upekla čerstvé maso.
Přidejte pět hrnků medu a pečte deset minut.
Veselý chlapec hledá velký kufr a dva velcí králíci sedí na náměstí.
Veselá žena odpočívá před domem s malou kočkou.
Turista nese modrou kytaru na hřišti.
Minulý týden jsme odešli brzy, protože bylo krásné počasí.
Rychlík do Říma odjíždí v osm hodin ráno.
Jak se dostanu od divadla k nejlepšímu obchodu?
Chlapec myje lavičku, zatímco dva malí ptáci běží na hřišti.
V pondělí jsem si vzal taxi, protože nikdo neznal cestu.
Před hodinou matka koupila sestře výbornou rybu.
V neděli matka podala babičce studenou rybu.
Minulý týden jsme zůstali v hotelu, protože na silnici byla nehoda.
Vlak do Paříže odjíždí v devět hodin ráno ze třetího nástupiště.
V misce je chléb.
Žena ve žlutém kabátu čeká v lese.
Přidejte pět hrnků medu a pečte dvě minuty.
Přidejte tři sklenice mouky a smažte pět minut.
Přidejte lžíci mouky a smažte půl hodiny.
Vysoký lékař kupuje starý klobouk, zatímco pět velkých koček spí v pokoji.
Mladá tanečnice ve žlutém tričku stojí v parku.
Můžete mi doporučit levný obchod blízko divadla?
Lékař v červené bundě se prochází za plotem.
Před hodinou teta poslala dědečkovi čerstvý koláč.
Rychlík do Paříže odjíždí v osm hodin ráno z prvního nástupiště.
Přidejte pět sklenic soli a pečte dvě minuty.
Zpěvačka maluje malý obraz a dva velcí ptáci si hrají za plotem.
Můžete mi doporučit levnou restauraci blízko kavárny?
V sobotu večer sestra koupila kuchaři výborný dort.
Unavená dívka drží míč a dva hnědí králíci stojí v lese.
Přidejte pět sklenic cukru a pečte pět minut.
Unavený turista v červené bundě zpívá na hřišti.
Našli jsme klidné divadlo blízko lékárny.
Mladá tanečnice sedí v pokoji s hnědým psem.
Mladý student běží na hřišti s velkým psem.
V lednici je výborné víno.
Student čeká na ulici s bílým psem.
Zítra bratr pojede autem do Plzně.
Přidejte hrnek medu a pečte pět minut.
V pátek teta pojede autem do Brna.
Na stole není žádná čerstvá polévka.
Starý lékař maluje krásný dům na ulici.
Dítě drží velkou kytaru a tři bílí psi odpočívají za plotem.
Autobus do Berlína odjíždí ve tři hodiny odpoledne ze třetího nástupiště.
Starý muž čeká na pláži se psem.
Vlak z Vídně přijíždí v sedm hodin večer.
V sobotu večer babička dala sestře kávu.
Mladý fotograf si hraje na zahradě s velkým psem.
Před dvěma dny jsme jeli vlakem do Prahy.
Na stole je čaj.
V sobotu večer teta dala sestře studené víno.
Rychlík do Plzně odjíždí v devět hodin ráno z druhého nástupiště.
Můžete mi ukázat nejlevnější divadlo blízko banky?
Našli jsme nový obchod blízko divadla.
Po obědě strýc poslal dědečkovi rybu.
Mladý muž nese kytaru v lese.
Přidejte sklenici soli a vařte hodinu.
V poledne babička upekla chléb.
Mladý chlapec sedí na náměstí s malým králíkem.
V košíku není žádná polévka.
Kolik stojí taxi z Berlína do Plzně?
Kde je nejbližší muzeum blízko divadla?
Student čte velkou mapu v lese.
Včera jsme přijeli pozdě, protože pršelo.
Jak se dostanu od restaurace k nejlepší kavárně?
Na stole není žádný výborný cukr.
Na Vánoce bratr poslal číšníkovi kávu.
Ve skříni není žádný čerstvý sýr.
Příští týden teta pojede autem do Drážďan.
Na stole je výborný sýr.
Žena nese krásnou kytaru u řeky.
Kolik stojí letenka z Drážďan do Vídně?
Starý turista hledá nového psa na hřišti.
V pondělí bratr čekal na nádraží, protože vlak měl zpoždění.
Včera nestihli vlak, protože most byl zavřený.
Minulý týden soused zůstal v hotelu, protože na silnici byla nehoda.
Starý turista v červeném tričku běží na hřišti.
Přidejte pět hrnků cukru a pečte dvě minuty.
Mladá zpěvačka nese malý košík a dvě velké kočky skáčou na pláži.
Unavený student fotí loď a pět velkých králíků běží vedle kostela.
Minulý rok soused jel autobusem do Drážďan.
Rychlík do Berlína odjíždí v osm hodin ráno ze čtvrtého nástupiště.
Přidejte hrnek cukru a míchejte hodinu.
Kolik stojí letenka z Brna do Ostravy?
Minulý týden teta koupila strýci čerstvý salát.
Dva hnědí psi čekají na náměstí.
Ve skříni není žádný dort.
Rychlík do Londýna odjíždí v devět hodin ráno z druhého nástupiště.
Turista stojí za plotem s hnědým králíkem.
Autobus z Vídně přijíždí v sedm hodin ráno.
Kolik stojí jízdenka z Prahy do Vídně?
Žena ve žluté košili zpívá v lese.
Zítra sestra pojede autem do Prahy.
Na stole je výborné maso.
Dnes ráno otec podal babičce čerstvý dort.
V pondělí si bratr vzal taxi, protože restaurace byla zavřená.
Přidejte tři lžíce medu a vařte pět minut.
Přidejte pět sklenic cukru a smažte dvacet minut.
Můžete mi ukázat nejlepší divadlo blízko pošty?
Přidejte sklenici oleje a míchejte hodinu.
Minulý týden kuchař poslal strýci výborné máslo.
Minulý týden si soused koupil nový deštník, protože nikdo neznal cestu.
Tanečnice drží nový košík.
Minulý týden bratr jel autobusem do Plzně.
Mladý chlapec myje malé kolo a tři hnědí psi sedí před domem.
Na Vánoce soused nakrájel maso.
Vysoký muž v červeném kabátu běží za plotem.
Veselá dívka si hraje blízko nádraží s velkým králíkem.
Za dva dny pojedeme autobusem do Plzně.
Můžete mi doporučit dobré divadlo blízko nádraží?
Stará zpěvačka maluje velkou lavičku a dva psi čekají pod stromem.
Přidejte pět sklenic vody a smažte pět minut.
Dvě staré ženy si hrají vedle kostela.
Našli jsme malý obchod blízko divadla.
Přidejte pět sklenic soli a vařte deset minut.
Za dva dny bratr pojede vlakem do Říma.
