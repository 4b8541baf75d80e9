Starý turista pozoruje krásný obraz.
Dva mladí studenti čekají v pokoji.
Turista si hraje blízko nádraží s bílou kočkou.
Chlapec v černé košili stojí blízko nádraží.
Veselá zpěvačka v modrém tričku odpočívá na zahradě.
Mladý muž stojí blízko nádraží s velkým psem.
Dva mladí turisté tančí v pokoji.
Unavená tanečnice kupuje malou mapu, zatímco tři hnědí psi běží před domem.
Vysoká dívka čte novou mapu, zatímco si tři králíci hrají u řeky.
Unavený student v černém kabátu zpívá na náměstí.
Chlapec kupuje kolo, zatímco dvě malé kočky stojí blízko nádraží.
Zpěvačka opravuje starý most na pláži.
Stará tanečnice drží krásnou květinu před domem.
Veselý turista drží malou kytaru.
Dívka fotí velké letadlo za plotem.
Vysoká tanečnice drží starou kytaru, zatímco si dva králíci hrají před domem.
Mladá dívka kupuje knihu a pět černých ptáků stojí na ulici.
Dívka v bílé čepici běží v pokoji.
Dvě mladé tanečnice si hrají na ulici.
Veselý dělník v černém klobouku tančí na zahradě.
Muž fotí modrý dům.
Mladá tanečnice maluje malou loď u řeky.
Mladá žena kupuje starý deštník.
Stará žena pozoruje velkého ptáka za plotem.
Student fotí dům a dva velcí ptáci skáčou v lese.
Fotograf čte knihu blízko nádraží.
Dva staří lékaři zpívají.
Dva velcí králíci sedí.
Chlapec nese lavičku, zatímco dva velcí králíci stojí v pokoji.
Mladá dívka v černé bundě zpívá v parku.
Veselá zpěvačka myje novou lavičku, zatímco pět malých ptáků skáče pod stromem.
Dělník fotí malé letadlo za plotem.
Černý pták odpočívá pod stromem.
Dvě tanečnice tančí.
Vysoký muž si hraje v pokoji s černým psem.
Veselý turista čeká u řeky s bílým psem.
Chlapec kupuje mapu a tři malé kočky stojí pod stromem.
Dívka opravuje starý plot, zatímco tři hnědí ptáci běží vedle kostela.
Turista pozoruje letadlo.
Stará dívka maluje malý obraz za plotem.
Veselý muž myje nové auto, zatímco pět malých ptáků skáče na pláži.
Dělník čte malou mapu, zatímco si dva velcí ptáci hrají před domem.
Starý turista opravuje loď pod stromem.
Pět velkých koček sedí před domem.
Mladý lékař fotí červené auto, zatímco tři hnědí psi sedí pod stromem.
Veselý muž nese kufr, zatímco pět bílých ptáků skáče před domem.
Vysoká žena drží klíč v lese.
Unavený chlapec tančí v pokoji.
Tanečnice drží košík, zatímco dvě kočky skáčou na náměstí.
Starý lékař nese krásnou krabici a dva malí ptáci běží na ulici.
Lékař čeká pod stromem s velkým psem.
Muž spí na zahradě.
Muž ve žlutém klobouku tančí u řeky.
Vysoká zpěvačka fotí nové auto na hřišti.
Starý muž se prochází na ulici s velkým králíkem.
Fotograf pozoruje nového ptáka na hřišti.
Mladá zpěvačka pozoruje nového králíka vedle kostela.
Dva černí ptáci sedí na ulici.
Velká kočka běží pod stromem.
Chlapec kupuje obraz a tři hnědé kočky čekají v parku.
Mladý lékař nese deštník u řeky.
Veselý muž si hraje pod stromem s malou kočkou.
Tanečnice se prochází blízko nádraží s kočkou.
Dělník v červené košili zpívá na pláži.
Veselé dítě maluje dům a tři králíci čekají na hřišti.
Unavená zpěvačka v bílé čepici se prochází na pláži.
Dvě kočky běží před domem.
Dívka kupuje červený deštník na hřišti.
Mladý fotograf v modré košili odpočívá za plotem.
Turista fotí dům, zatímco tři bílí králíci sedí před domem.
Vysoký muž sedí blízko nádraží s hnědým králíkem.
Fotograf sedí.
Student v bílém kabátu tančí na náměstí.
Dva staří lékaři běží na ulici.
Dva ptáci sedí.
Dítě hledá velký kufr, zatímco tři černí psi spí v pokoji.
Mladý dělník opravuje červené letadlo, zatímco si pět černých králíků hraje u řeky.
Mladá zpěvačka myje auto, zatímco dva malí psi sedí v lese.
Vysoký fotograf hledá novou kočku za plotem.
Vysoký lékař drží deštník.
Stará žena stojí na hřišti s malou kočkou.
Starý muž pozoruje červené letadlo a pět bílých koček čeká v pokoji.
Dítě kupuje krásnou knihu před domem.
Mladá dívka drží starý míč a pět hnědých koček stojí vedle kostela.
Zpěvačka sedí v lese s velkým králíkem.
Muž kupuje červené kolo a pět velkých psů běží na ulici.
Dvě kočky si hrají pod stromem.
Stará dívka hledá malý klobouk, zatímco si dva hnědí králíci hrají před domem.
Veselá dívka si hraje v parku s bílým psem.
Vysoká dívka sedí před domem s malým psem.
Černá kočka stojí na pláži.
Unavená dívka v zeleném kabátu stojí na pláži.
Veselá zpěvačka v zelené bundě tančí v pokoji.
Mladý turista si hraje v parku.
Starý fotograf běží za plotem s černým králíkem.
Muž čeká v parku s bílým psem.
Žena v černé košili tančí na náměstí.
Dva chlapci skáčou pod stromem.
Veselá žena se prochází v parku.
Starý fotograf v červeném tričku odpočívá na ulici.
Žena nese modrý kufr.
Unavený muž si hraje na hřišti.
Mladý muž čeká v pokoji s černou kočkou.
Veselý lékař myje modrou loď v lese.
Vysoká zpěvačka odpočívá v lese s hnědou kočkou.
Žena hledá červený kufr za plotem.
Chlapec fotí starý kostel blízko nádraží.
Malý pták sedí blízko nádraží.
Dívka stojí vedle kostela s velkou kočkou.
Mladá zpěvačka nese červený deštník a dva bílí králíci odpočívají na hřišti.
Dvě děti se procházejí u řeky.
Lékař maluje starý dům v parku.
Starý dělník čeká v pokoji s malým psem.
Unavená tanečnice pozoruje malou loď na hřišti.
Mladá dívka se prochází na náměstí s hnědou kočkou.
Stará zpěvačka opravuje deštník na ulici.
Starý fotograf myje modrou lavičku a dvě bílé kočky si hrají u řeky.
Vysoký chlapec maluje modrou loď na náměstí.
Dvě vysoké zpěvačky si hrají.
Mladá dívka fotí červenou kočku na hřišti.
Veselé dítě sedí na zahradě s velkou kočkou.
Mladý student v bílé čepici tančí vedle kostela.
Mladý lékař odpočívá za plotem se psem.
Starý fotograf ve žlutém klobouku běží na zahradě.
Unavený dělník odpočívá vedle kostela s černým psem.
Starý dělník myje novou loď a pět malých králíků si hraje v pokoji.
Chlapec opravuje staré auto a tři hnědí psi čekají na hřišti.
Unavený dělník odpočívá pod stromem.
Vysoká dívka se prochází na pláži s malým psem.
Unavená dívka si hraje u řeky s malou kočkou.
Vysoký chlapec se prochází před domem s bílou kočkou.
Turista fotí velkou kočku v pokoji.
Starý lékař kupuje malou mapu, zatímco tři velké kočky sedí před domem.
Mladý turista nese kufr v pokoji.
Lékař pozoruje nový obraz v lese.
Dělník nese nový batoh a pět černých koček čeká blízko nádraží.
Starý muž v zeleném klobouku se prochází v lese.
Starý fotograf se prochází před domem s bílým psem.
Mladý turista fotí velké letadlo.
Tři černé kočky odpočívají za plotem.
Dva černí psi běží v lese.
Dva turisté čekají vedle kostela.
Veselá zpěvačka hledá krásný klobouk na pláži.
Pět žen běží na pláži.
Starý dělník sedí na pláži s černým psem.
Veselý fotograf nese obraz na zahradě.
Veselý muž hledá velký kufr na pláži.
Stará tanečnice si hraje na hřišti s velkým králíkem.
Turista sedí vedle kostela.
Mladý lékař nese nový košík vedle kostela.
Dva fotografové sedí vedle kostela.
Vysoké dítě čeká před domem.
Mladý lékař v červené bundě odpočívá na hřišti.
Lékař kupuje deštník v pokoji.
Dělník kupuje červenou květinu, zatímco pět hnědých psů běží pod stromem.
Žena nese starý kufr na hřišti.
Student sedí na hřišti s hnědým králíkem.
Mladý chlapec opravuje starou loď, zatímco pět bílých psů odpočívá u řeky.
Unavený dělník v černém tričku se prochází v parku.
Tři černí králíci běží na náměstí.
Student běží na hřišti s malým králíkem.
Veselá tanečnice v bílé čepici zpívá v pokoji.
Vysoký chlapec odpočívá u řeky s králíkem.
Žena si hraje před domem.
Unavený student ve žluté bundě tančí na náměstí.
Veselá dívka kupuje malou knihu a dva bílí králíci čekají v parku.
Stará žena fotí novou květinu na hřišti.
Unavená žena čeká v lese s malým psem.
Dva černí králíci spí v parku.
Student drží mapu a pět hnědých koček stojí pod stromem.
Stará dívka kupuje klobouk vedle kostela.
Vysoký dělník hraje na klavír, zatímco dva malí ptáci běží pod stromem.
Černá kočka stojí na ulici.
Mladý fotograf opravuje malé kolo a dva ptáci odpočívají na náměstí.
Zpěvačka opravuje loď na hřišti.
Vysoký turista v zelené čepici zpívá blízko nádraží.
Starý lékař hledá starý klíč v pokoji.
Mladá tanečnice drží červenou knihu a tři hnědé kočky odpočívají pod stromem.
Unavený lékař fotí velký dům na pláži.
Pět žen běží u řeky.
Veselá žena v červené čepici zpívá na ulici.
Starý dělník ve žluté bundě sedí na pláži.
Starý chlapec ve žlutém klobouku běží na hřišti.
Mladý turista ve žluté bundě sedí před domem.
Vysoká tanečnice hledá velkou mapu a tři velké kočky odpočívají v parku.
Starý chlapec kupuje květinu, zatímco tři černí psi běží před domem.
Dva malí králíci běží.
Dva staří fotografové skáčou na náměstí.
Tři zpěvačky běží v pokoji.
Dva psi čekají na pláži.
Mladý fotograf nese malý deštník před domem.
Žena hledá velký míč, zatímco tři černí psi sedí na náměstí.
Dívka hledá malou kočku na ulici.
Zpěvačka se prochází v parku se psem.
Veselý muž myje malé auto na pláži.
Veselá tanečnice odpočívá u řeky s králíkem.
Dvě mladé dívky stojí blízko nádraží.
Starý fotograf se prochází u řeky s hnědou kočkou.
Vysoký student fotí novou loď.
Mladý muž odpočívá na pláži s hnědým psem.
Tři hnědí psi odpočívají v parku.
Fotograf v modrém kabátu tančí v pokoji.
Starý chlapec si hraje v pokoji se psem.
Veselá dívka drží malý deštník v lese.
Starý muž se prochází za plotem.
Stará dívka v modrém kabátu zpívá v lese.
Turista nese velkou lavičku, zatímco pět velkých psů skáče blízko nádraží.
Muž se prochází na náměstí s malým králíkem.
Lékař běží v parku s malým králíkem.
Lékař v modré bundě se prochází na zahradě.
Starý lékař spí před domem.
Fotograf čeká na hřišti s velkým psem.
Starý muž ve žluté čepici stojí v parku.
Starý lékař sedí vedle kostela s černou kočkou.
Veselá dívka hraje na kytaru, zatímco pět malých králíků čeká na ulici.
Dva unavení turisté skáčou na náměstí.
Vysoké dítě sedí na ulici s černým králíkem.
Dívka kupuje červenou knihu, zatímco dva ptáci spí v pokoji.
Starý muž odpočívá v pokoji s bílým psem.
Student skáče na hřišti.
Dělník opravuje kolo v pokoji.
Mladá dívka ve žluté čepici zpívá vedle kostela.
Starý dělník čeká na ulici s kočkou.
Mladá dívka hledá malý klíč.
Dítě se prochází na pláži s hnědou kočkou.
Vysoký dělník ve žlutém tričku tančí v lese.
Mladý turista opravuje malé auto.
Muž v bílém klobouku zpívá v pokoji.
Veselý dělník se prochází vedle kostela s hnědou kočkou.
Tanečnice odpočívá pod stromem.
Veselá žena myje nové kolo pod stromem.
Starý muž drží košík na pláži.
Vysoký fotograf v červené košili stojí vedle kostela.
Unavená žena v modré košili stojí v parku.
Stará dívka čeká v parku s černou kočkou.
Lékař pozoruje novou loď a tři černí králíci stojí na náměstí.
Unavený dělník ve žlutém klobouku čeká na pláži.
Turista nese košík, zatímco pět bílých ptáků běží v lese.
Stará zpěvačka nese starou kytaru, zatímco pět velkých koček skáče v parku.
Turista hledá nový míč v lese.
Mladá tanečnice opravuje starý deštník a dvě černé kočky spí v parku.
Dělník drží mapu na pláži.
Dva mladí fotografové stojí na ulici.
Muž stojí blízko nádraží se psem.
Vysoký turista opravuje krásné kolo, zatímco si pět malých králíků hraje v pokoji.
Starý turista kupuje starý obraz na náměstí.
Mladá tanečnice v bílé čepici se prochází na náměstí.
Unavený student nese košík v pokoji.
Unavený chlapec sedí v pokoji s hnědou kočkou.
Veselá tanečnice v červeném tričku odpočívá v pokoji.
Bílý pes odpočívá na zahradě.
Starý dělník běží na zahradě s bílým psem.
Tři chlapci spí pod stromem.
Unavená dívka v zeleném tričku čeká na zahradě.
Dva dělníci běží na hřišti.
Tanečnice v zeleném tričku odpočívá u řeky.
Chlapec nese starou kytaru a tři černí králíci stojí blízko nádraží.
Dvě vysoké ženy spí.
Žena maluje malou lavičku, zatímco pět velkých ptáků spí pod stromem.
Unavený lékař drží klobouk blízko nádraží.
Dva velcí ptáci spí před domem.
Stará dívka se prochází blízko nádraží s hnědým psem.
Stará žena v bílé košili sedí na pláži.
Tři malé kočky běží v parku.
Tři hnědí ptáci odpočívají za plotem.
Unavený muž v černém klobouku se prochází u řeky.
Mladý lékař čte starý dopis za plotem.
Mladá dívka se prochází u řeky s černým králíkem.
Mladý fotograf v zeleném klobouku stojí na zahradě.
Stará zpěvačka se prochází na pláži s bílou kočkou.
Dívka si hraje v pokoji s malým králíkem.
Unavená žena pozoruje nové letadlo.
Dva unavení fotografové spí.
Pět unavených fotografů skáče v lese.
Unavená tanečnice skáče blízko nádraží.
Mladý muž čeká u řeky s černým králíkem.
Unavený muž drží květinu pod stromem.
Vysoký dělník hledá velký batoh a dvě černé kočky stojí na pláži.
Mladý fotograf stojí v parku s kočkou.
Dělník hledá starou mapu, zatímco tři velcí králíci stojí na náměstí.
Vysoký dělník v zelené čepici sedí blízko nádraží.
Tanečnice maluje modrý dům.
Student pozoruje králíka v lese.
Mladý muž hledá klobouk u řeky.
Dva turisté čekají za plotem.
Starý muž pozoruje krásnou loď a dva psi běží v pokoji.
Pět tanečnic stojí před domem.
Mladý student drží krásnou knihu a tři malí psi si hrají u řeky.
Chlapec si hraje před domem s bílým psem.
Vysoký fotograf v zeleném klobouku čeká pod stromem.
Mladá dívka opravuje starý plot na náměstí.
Žena skáče na ulici.
Starý lékař v modrém kabátu běží v pokoji.
Fotograf se prochází na ulici s malou kočkou.
Dítě v zeleném klobouku stojí v lese.
Unavená tanečnice si hraje blízko nádraží s malým psem.
Tři fotografové čekají na ulici.
Unavená tanečnice maluje nový plot, zatímco dva bílí ptáci stojí na hřišti.
Tanečnice nese červený batoh a dvě kočky si hrají na ulici.
Dva staří lékaři čekají.
Vysoká žena čte dopis a dva hnědí psi běží v pokoji.
Muž sedí na pláži.
Mladý dělník sedí pod stromem s černým psem.
Unavený chlapec čeká u řeky s králíkem.
Starý fotograf fotí velký most, zatímco tři králíci běží vedle kostela.
Unavený lékař hledá červený batoh v pokoji.
Starý muž odpočívá v lese s velkým psem.
Dvě staré tanečnice sedí před domem.
Chlapec drží mapu a tři velcí králíci čekají blízko nádraží.
Vysoký muž sedí vedle kostela s černou kočkou.
Mladý dělník čeká na náměstí s bílou kočkou.
Vysoká žena hledá malý míč, zatímco tři hnědí ptáci skáčou v lese.
Stará žena opravuje nový plot za plotem.
Vysoký turista čeká na ulici s králíkem.
Vysoký dělník ve žlutém tričku sedí pod stromem.
Dvě dívky spí na hřišti.
Dvě staré ženy si hrají v pokoji.
Zpěvačka v černé bundě běží v lese.
Tanečnice nese krásnou lavičku a dva ptáci běží před domem.
Fotograf kupuje květinu pod stromem.
Dva muži si hrají na náměstí.
Mladý student nese modrou krabici a dva velcí psi čekají v lese.
Starý chlapec maluje velký dům na pláži.
Veselý fotograf maluje červený kostel před domem.
Pět černých psů čeká.
Mladá tanečnice v bílé čepici se prochází u řeky.
Dělník kupuje malou knihu na ulici.
Student opravuje kolo a tři bílí ptáci spí na hřišti.
Stará tanečnice maluje modrou loď na zahradě.
Vysoký lékař hraje na trubku a dva hnědí králíci skáčou v lese.
Vysoká tanečnice stojí blízko nádraží s velkým psem.
Tanečnice opravuje červené kolo a dva ptáci čekají na náměstí.
Lékař maluje lavičku v pokoji.
Dívka si hraje v pokoji s černou kočkou.
Chlapec kupuje starý klobouk, zatímco tři bílí ptáci sedí vedle kostela.
Mladý turista stojí v parku s malou kočkou.
Mladý lékař opravuje deštník, zatímco dva velcí králíci skáčou na zahradě.
Mladá zpěvačka v zelené čepici zpívá na náměstí.
Turista drží velký míč, zatímco si pět velkých psů hraje na náměstí.
Student si hraje na pláži s hnědým psem.
Fotograf v červené čepici čeká vedle kostela.
Dělník nese kytaru a tři velké kočky čekají na zahradě.
Stará zpěvačka čeká před domem s malou kočkou.
Starý muž se prochází na zahradě s velkou kočkou.
Student drží knihu na zahradě.
Dívka si hraje blízko nádraží s velkým psem.
Vysoký lékař sedí u řeky s bílým psem.
Dvě staré ženy odpočívají na náměstí.
Turista v zeleném klobouku stojí blízko nádraží.
Veselý student pozoruje starou loď na pláži.
Starý turista se prochází blízko nádraží s hnědým králíkem.
Velký pták běží v lese.
Zpěvačka se prochází na náměstí s hnědým králíkem.
Stará tanečnice v modrém tričku sedí v parku.
Fotograf v bílém klobouku stojí na zahradě.
Dva ptáci skáčou v lese.
Vysoký fotograf pozoruje letadlo v lese.
Unavená zpěvačka hledá deštník, zatímco tři bílí králíci spí v parku.
Chlapec opravuje malou lavičku a dva malí ptáci stojí v lese.
Vysoký muž v modré bundě se prochází v pokoji.
Pták skáče na hřišti.
Dva turisté se procházejí blízko nádraží.
Mladá tanečnice běží na pláži s králíkem.
Starý chlapec v zelené bundě zpívá v lese.
Chlapec hledá malého psa v pokoji.
Mladý muž v červené košili zpívá blízko nádraží.
Mladý fotograf se prochází vedle kostela s velkým psem.
Unavený muž pozoruje červené letadlo a dva bílí králíci odpočívají na hřišti.
Starý turista ve žlutém kabátu tančí blízko nádraží.
Starý dělník nese novou lavičku před domem.
Lékař odpočívá pod stromem.
Starý turista v modrém klobouku čeká na hřišti.
Mladý fotograf drží mapu, zatímco pět hnědých koček skáče blízko nádraží.
Dva velcí ptáci čekají za plotem.
Vysoké dítě myje novou loď a tři ptáci spí na náměstí.
Mladý dělník opravuje malé letadlo na hřišti.
Starý lékař se prochází na náměstí s velkým psem.
Veselý dělník odpočívá za plotem s černým králíkem.
Starý fotograf spí na pláži.
Lékař si hraje vedle kostela s malým králíkem.
Mladá tanečnice tančí v lese.
Tři mladí turisté stojí na ulici.
Veselý chlapec hledá starý klíč, zatímco pět velkých králíků sedí na náměstí.
Dívka maluje okno, zatímco tři bílí králíci spí v parku.
Veselá zpěvačka v modré bundě čeká na pláži.
Vysoký fotograf si hraje na zahradě s králíkem.
Veselý muž v červeném klobouku zpívá v pokoji.
Žena nese lavičku na pláži.
Student si hraje v parku s králíkem.
Chlapec v červené košili čeká na zahradě.
Fotograf kupuje květinu na zahradě.
Mladý chlapec v bílém klobouku sedí v pokoji.
Mladý chlapec drží knihu, zatímco tři velcí králíci odpočívají na ulici.
Dva veselí studenti zpívají za plotem.
Mladá tanečnice opravuje staré kolo, zatímco tři malé kočky odpočívají blízko nádraží.
Fotograf si hraje na náměstí s bílou kočkou.
Starý turista opravuje velké letadlo na hřišti.
Stará žena v zelené čepici sedí pod stromem.
Vysoký muž v černé bundě čeká blízko nádraží.
Mladý chlapec čeká vedle kostela s bílou kočkou.
Unavený chlapec sedí na zahradě s malým králíkem.
Stará zpěvačka hraje na kytaru na ulici.
Starý fotograf opravuje nový deštník, zatímco dvě kočky čekají na pláži.
Stará dívka se prochází v pokoji s hnědou kočkou.
Starý dělník v modrém klobouku zpívá na ulici.
Vysoký lékař drží košík za plotem.
Veselý lékař ve žlutém kabátu zpívá před domem.
Turista maluje plot v pokoji.
Starý chlapec v černé čepici čeká v pokoji.
Mladá zpěvačka fotí velký kostel a tři psi čekají na náměstí.
Veselý dělník kupuje obraz pod stromem.
Unavený fotograf pozoruje králíka v pokoji.
Zpěvačka v zeleném kabátu odpočívá pod stromem.
Lékař drží velký klíč, zatímco si pět bílých koček hraje pod stromem.
Veselá dívka myje psa za plotem.
Dva staří fotografové si hrají.
Starý dělník čeká u řeky se psem.
Veselá žena sedí blízko nádraží.
Mladý chlapec pozoruje letadlo, zatímco si tři černí ptáci hrají v lese.
Muž čeká blízko nádraží s černou kočkou.
Student v bílé čepici běží u řeky.
Pět bílých králíků si hraje na zahradě.
Mladý student hledá starou mapu, zatímco tři bílé kočky spí u řeky.
Unavená dívka odpočívá na náměstí.
Muž pozoruje kočku pod stromem.
Pět starých zpěvaček běží na pláži.
Mladý dělník v červeném tričku sedí na pláži.
Unavený dělník v zeleném klobouku běží na pláži.
Chlapec hledá modrý deštník blízko nádraží.
Starý turista nese starý batoh a pět černých koček si hraje vedle kostela.
Mladý student čte krásný dopis a pět bílých psů běží u řeky.
Mladý fotograf opravuje auto na hřišti.
Mladý fotograf v zeleném kabátu stojí na ulici.
Vysoká tanečnice myje krásné kolo na pláži.
Mladá žena stojí v parku.
Dva černí králíci spí na pláži.
Dva mladí studenti spí před domem.
Mladý lékař maluje starý most vedle kostela.
Fotograf odpočívá na náměstí s malým králíkem.
Tanečnice běží v pokoji s hnědým králíkem.
Mladý turista nese modrou lavičku na hřišti.
Vysoký turista běží blízko nádraží s bílým králíkem.
Dívka ve žluté bundě se prochází blízko nádraží.
Mladá tanečnice kupuje batoh vedle kostela.
Žena opravuje deštník a tři velcí králíci skáčou u řeky.
Starý turista hledá nový deštník za plotem.
Dělník se prochází na náměstí s bílým psem.
Vysoké dítě si hraje.
Stará dívka hledá modrý míč, zatímco tři malí psi spí na pláži.
Starý student kupuje knihu blízko nádraží.
Dva malí ptáci čekají na ulici.
Vysoké dítě stojí na pláži s malým psem.
Starý dělník opravuje nové letadlo, zatímco pět malých králíků běží na zahradě.
Vysoký turista sedí na ulici s malým králíkem.
Fotograf opravuje krásnou loď na pláži.
Mladý turista kupuje starý obraz a tři velké kočky čekají v parku.
Unavený fotograf v červené čepici běží na zahradě.
Dívka drží deštník, zatímco si tři velké kočky hrají v pokoji.
Unavený lékař běží před domem s kočkou.
Mladý fotograf nese velkou kytaru a dva malí ptáci stojí před domem.
Veselý student v zeleném kabátu sedí vedle kostela.
Veselý student kupuje modrý klobouk a tři kočky sedí u řeky.
Starý lékař maluje okno v parku.
Dva ptáci si hrají vedle kostela.
Mladý lékař hledá deštník, zatímco pět černých koček sedí blízko nádraží.
Lékař nese kytaru.
Tři dívky stojí na ulici.
Tanečnice kupuje batoh vedle kostela.
Starý lékař nese nový batoh u řeky.
Veselý dělník v zelené čepici tančí za plotem.
Dvě ženy odpočívají na zahradě.
Vysoká žena v zelené čepici tančí na pláži.
Starý muž fotí krásný dům v pokoji.
Veselý chlapec drží květinu v lese.
Černá kočka spí.
Student drží velkou kytaru a dva hnědí psi skáčou na hřišti.
Mladý dělník v bílém kabátu sedí vedle kostela.
Vysoký muž maluje most, zatímco tři psi spí na zahradě.
Unavený fotograf si hraje v parku s bílým králíkem.
Dívka drží starý košík a pět velkých králíků sedí v lese.
Tanečnice drží květinu, zatímco tři bílé kočky spí v pokoji.
Mladý student ve žluté čepici zpívá vedle kostela.
Stará dívka stojí na hřišti s malou kočkou.
Unavená žena pozoruje velké letadlo vedle kostela.
Starý student drží mapu v pokoji.
Unavená žena sedí na náměstí s hnědým psem.
Starý student v červeném tričku tančí na zahradě.
Lékař v černém tričku běží u řeky.
Dělník nese starý kufr na pláži.
Dívka si hraje na náměstí.
Dva černí ptáci sedí.
Unavený dělník zpívá.
Unavená zpěvačka běží před domem s bílým králíkem.
Dítě opravuje nový deštník, zatímco si pět bílých koček hraje v pokoji.
Vysoký fotograf maluje nový obraz.
Starý student pozoruje psa.
Unavený dělník v bílé čepici zpívá na hřišti.
Mladý lékař maluje most pod stromem.
Mladý dělník čte knihu, zatímco tři hnědé kočky sedí v parku.
Mladá žena odpočívá před domem s černým králíkem.
Veselý student v zelené košili odpočívá na hřišti.
Dvě unavené zpěvačky si hrají na pláži.
Mladý turista hledá velký míč v lese.
Muž spí.
Starý turista fotí krásného ptáka.
Starý lékař nese nový batoh v parku.
Veselý lékař fotí nový dům a tři malí ptáci běží v lese.
Stará tanečnice myje kolo, zatímco pět koček spí před domem.
Vysoká tanečnice čeká na hřišti.
Tři bílí psi běží vedle kostela.
Stará zpěvačka hledá deštník, zatímco dvě hnědé kočky stojí na ulici.
Veselé dítě zpívá.
Unavený chlapec sedí blízko nádraží s malou kočkou.
Starý lékař myje velké okno a pět hnědých ptáků odpočívá na hřišti.
Mladá tanečnice v černém klobouku zpívá pod stromem.
Mladá tanečnice odpočívá na zahradě s malou kočkou.
Mladá žena v zeleném tričku zpívá v pokoji.
Lékař drží modrou knihu, zatímco tři hnědé kočky odpočívají před domem.
Dítě kupuje červenou mapu na ulici.
Mladá tanečnice fotí loď a pět černých koček skáče na hřišti.
Turista hledá červený klobouk na zahradě.
Dva malí králíci běží u řeky.
Tanečnice ve žluté košili zpívá u řeky.
Unavená tanečnice fotí ptáka na hřišti.
Žena fotí staré letadlo před domem.
Veselý chlapec opravuje malé auto a tři černí králíci skáčou na zahradě.
Mladá zpěvačka běží na hřišti s kočkou.
Tři lékaři stojí v parku.
Mladá dívka hledá starý klobouk, zatímco dva hnědí ptáci stojí za plotem.
Chlapec zpívá na pláži.
Vysoký dělník se prochází v parku s hnědým králíkem.
Tři mladí studenti odpočívají na náměstí.
Chlapec hledá velký míč, zatímco tři malí králíci stojí v pokoji.
Unavený muž opravuje velké letadlo a dva hnědí králíci čekají v parku.
Starý chlapec opravuje malé kolo, zatímco tři hnědí králíci čekají za plotem.
Mladý dělník skáče na zahradě.
Dva staří turisté tančí blízko nádraží.
Fotograf v zeleném tričku se prochází na ulici.
Žena pozoruje malého králíka blízko nádraží.
Mladý turista kupuje nový klobouk za plotem.
Tanečnice si hraje vedle kostela.
Turista sedí v lese s králíkem.
Student myje lavičku, zatímco dvě bílé kočky běží v pokoji.
Mladá žena ve žluté čepici sedí v lese.
Veselá tanečnice v zelené čepici tančí blízko nádraží.
Vysoký turista drží míč a tři černé kočky si hrají v lese.
Kočka spí v parku.
Dva velcí ptáci odpočívají před domem.
Dělník pozoruje letadlo vedle kostela.
Starý student drží mapu a pět hnědých králíků si hraje v lese.
Stará dívka v modré čepici sedí na ulici.
Unavená zpěvačka kupuje deštník a tři velcí psi stojí v parku.
Veselá žena pozoruje starého psa na ulici.
Starý turista sedí na náměstí s černým králíkem.
Vysoká zpěvačka drží malý deštník v parku.
Vysoký fotograf fotí velké letadlo, zatímco dva černí králíci čekají vedle kostela.
Unavený turista pozoruje velké letadlo, zatímco pět bílých koček skáče na ulici.
Starý chlapec hraje na kytaru, zatímco dva černí psi skáčou pod stromem.
Mladý student kupuje knihu v parku.
Dvě malé kočky spí v lese.
Veselý fotograf stojí na pláži s velkou kočkou.
Stará tanečnice kupuje obraz za plotem.
Stará dívka čeká pod stromem.
Dítě drží mapu.
Mladý lékař odpočívá na zahradě s bílým králíkem.
Mladá zpěvačka nese malou kytaru, zatímco tři bílí psi sedí na ulici.
Tanečnice zpívá na náměstí.
Veselá žena fotí kostel, zatímco dva ptáci spí na hřišti.
Dvě mladé ženy zpívají na ulici.
Starý chlapec nese velkou lavičku a tři černí psi stojí za plotem.
Vysoký turista maluje most u řeky.
Tanečnice myje loď a tři černí psi odpočívají blízko nádraží.
Stará tanečnice odpočívá za plotem s malou kočkou.
Dítě v zeleném kabátu tančí na náměstí.
Vysoká tanečnice drží modrou knihu, zatímco pět malých psů běží před domem.
Unavené dítě opravuje malou loď, zatímco pět bílých ptáků skáče na hřišti.
Veselý muž se prochází pod stromem s bílou kočkou.
Dva psi si hrají v parku.
Mladý dělník fotí velkou loď u řeky.
Mladý muž nese malý obraz v lese.
Dva bílí ptáci stojí na zahradě.
Mladý fotograf sedí u řeky s malým králíkem.
Dva dělníci tančí na ulici.
Mladý lékař drží starý klobouk, zatímco si pět černých králíků hraje blízko nádraží.
Veselý muž si hraje v parku s bílým psem.
Lékař se prochází na ulici s velkým králíkem.
Dívka sedí v lese s černým králíkem.
Dívka drží novou mapu na zahradě.
Muž drží starý klobouk na náměstí.
Stará dívka si hraje na zahradě s hnědým psem.
Stará dívka v zelené čepici běží za plotem.
Dva černí králíci sedí.
Starý dělník fotí kočku v pokoji.
Dívka ve žluté čepici sedí vedle kostela.
Králík stojí.
Vysoký student ve žlutém tričku čeká u řeky.
Mladý muž v černém klobouku tančí na hřišti.
Mladý muž fotí velký most a tři černé kočky běží v parku.
Turista se prochází v lese.
Dva chlapci sedí na náměstí.
Stará žena v bílé čepici odpočívá v pokoji.
Dítě fotí malého ptáka blízko nádraží.
Stará tanečnice myje novou loď na zahradě.
Unavený turista v černém klobouku tančí pod stromem.
Mladá žena maluje malé okno v parku.
Zpěvačka si hraje na pláži s velkou kočkou.
Starý fotograf v zelené košili se prochází v pokoji.
Chlapec hledá batoh blízko nádraží.
Mladá zpěvačka drží starou knihu na pláži.
Unavený fotograf opravuje loď na náměstí.
Lékař opravuje deštník za plotem.
Dítě stojí pod stromem.
Mladý chlapec hledá klobouk a tři velcí psi stojí blízko nádraží.
Unavený chlapec opravuje krásný most, zatímco tři bílí psi čekají blízko nádraží.
Mladá zpěvačka kupuje mapu za plotem.
Dělník opravuje modrý most a pět bílých psů čeká vedle kostela.
Stará dívka odpočívá v pokoji s hnědou kočkou.
Mladý turista sedí v lese s velkou kočkou.
Vysoký turista v zelené bundě sedí v lese.
Vysoký student drží malý klíč a dva velcí králíci si hrají v pokoji.
Malá kočka čeká na náměstí.
Unavený dělník sedí pod stromem s králíkem.
Vysoký dělník drží novou mapu, zatímco dvě černé kočky spí u řeky.
Veselý dělník nese novou lavičku.
Mladá žena skáče vedle kostela.
Dělník ve žlutém klobouku zpívá před domem.
Dítě nese batoh a pět králíků si hraje na ulici.
Dva lékaři stojí.
Chlapec čeká na hřišti.
Mladá zpěvačka hledá klíč a dva psi spí za plotem.
Unavené dítě maluje nový plot za plotem.
Stará dívka se prochází na ulici s malým králíkem.
Tanečnice odpočívá pod stromem s velkou kočkou.
Stará zpěvačka sedí v lese s kočkou.
Pět unavených tanečnic stojí před domem.
Vysoký lékař v zeleném tričku zpívá za plotem.
Tři studenti tančí před domem.
Dvě děti skáčou blízko nádraží.
Vysoký fotograf drží košík pod stromem.
Vysoká dívka v červeném klobouku zpívá na zahradě.
Veselé dítě hledá míč vedle kostela.
Unavený turista si hraje na zahradě s bílým psem.
Starý student si hraje v lese s hnědým psem.
Dvě velké kočky odpočívají u řeky.
Veselé dítě nese deštník na náměstí.
Mladý student fotí malé letadlo, zatímco tři malí králíci čekají v lese.
Pět koček čeká za plotem.
Chlapec se prochází na pláži s hnědým králíkem.
Tři mladé ženy stojí vedle kostela.
Dva studenti stojí.
Vysoké dítě se prochází blízko nádraží s malým psem.
Starý muž odpočívá pod stromem s bílým králíkem.
Unavená žena maluje velký plot na zahradě.
Student ve žlutém klobouku stojí na náměstí.
Dva bílí psi skáčou v pokoji.
Žena drží velkou květinu na ulici.
Unavená žena drží klíč vedle kostela.
Mladý turista stojí na hřišti s malým králíkem.
Žena maluje velké okno, zatímco dvě kočky čekají v lese.
Malý králík sedí na zahradě.
Starý muž hledá nový kufr, zatímco pět bílých ptáků běží na zahradě.
Stará zpěvačka maluje krásné okno vedle kostela.
Dělník se prochází na náměstí se psem.
Vysoký muž hledá klobouk, zatímco dva velcí ptáci spí vedle kostela.
Tři černí ptáci spí na hřišti.
Unavená dívka odpočívá pod stromem s černou kočkou.
Lékař si hraje na ulici.
Unavený student hledá starý kufr v pokoji.
Tři kočky čekají.
Muž v bílé čepici stojí na hřišti.
Mladá dívka sedí blízko nádraží s černým psem.
Unavená zpěvačka v zelené bundě tančí v lese.
Veselý turista v černém tričku zpívá před domem.
Pták stojí na hřišti.
Pět mladých tanečnic si hraje na hřišti.
Mladý chlapec ve žluté bundě čeká na pláži.
Dítě se prochází na náměstí s černým psem.
Turista hledá malý klíč a tři bílí králíci si hrají na zahradě.
Tanečnice drží malý deštník, zatímco tři bílé kočky sedí v parku.
Vysoká zpěvačka ve žlutém tričku běží na hřišti.
Vysoký chlapec myje okno, zatímco tři kočky čekají na ulici.
Starý dělník hledá kufr, zatímco si pět černých ptáků hraje v parku.
Dva muži stojí před domem.
Veselý fotograf maluje červený kostel a pět bílých králíků odpočívá pod stromem.
Mladý chlapec v černé bundě čeká u řeky.
Starý fotograf hledá červený klíč a pět hnědých ptáků běží vedle kostela.
Chlapec běží před domem s malým psem.
Lékař odpočívá v lese.
Unavený muž v zelené bundě stojí na zahradě.
Fotograf hledá klíč a pět bílých králíků spí u řeky.
Vysoká zpěvačka opravuje malé letadlo vedle kostela.
Muž stojí blízko nádraží s velkým psem.
Zpěvačka pozoruje starou loď na ulici.
Dva staří turisté tančí u řeky.
Mladá žena nese krabici a dvě velké kočky si hrají blízko nádraží.
Dělník v modrém klobouku čeká na náměstí.
Stará tanečnice myje malé okno, zatímco tři malí ptáci stojí v parku.
Zpěvačka si hraje na ulici s bílým králíkem.
Chlapec se prochází pod stromem s černým králíkem.
Dva dělníci sedí za plotem.
Unavená zpěvačka odpočívá u řeky se psem.
Mladá žena sedí za plotem s černým psem.
Králík si hraje za plotem.
Stará žena maluje malý plot.
Unavená dívka kupuje batoh na ulici.
Veselý lékař v zeleném tričku běží vedle kostela.
Dva mladí lékaři se procházejí na pláži.
Unavená zpěvačka opravuje auto, zatímco tři velcí psi běží v parku.
Zpěvačka nese velký deštník, zatímco si pět černých ptáků hraje na náměstí.
Dítě drží malý deštník, zatímco tři velké kočky stojí vedle kostela.
Zpěvačka kupuje novou mapu a dva králíci spí v pokoji.
Tanečnice zpívá v lese.
Zpěvačka drží starý klíč a pět hnědých psů spí za plotem.
Dvě velké kočky stojí v pokoji.
Dvě veselé zpěvačky odpočívají před domem.
Unavená zpěvačka opravuje malý deštník, zatímco si pět černých koček hraje v lese.
Pět králíků běží vedle kostela.
Vysoký dělník myje červené auto a tři hnědé kočky stojí na ulici.
Chlapec kupuje deštník v parku.
Muž drží klíč, zatímco tři hnědé kočky čekají na zahradě.
Mladá žena pozoruje velké letadlo, zatímco dva hnědí králíci běží před domem.
Starý turista si hraje vedle kostela se psem.
Mladá zpěvačka čte červenou knihu a tři králíci si hrají na náměstí.
Vysoký student v červeném klobouku běží u řeky.
Mladá zpěvačka čte malý dopis na náměstí.
Veselý chlapec čeká před domem s velkým králíkem.
Muž pozoruje velkého králíka.
Dělník hledá starý klíč v parku.
Starý chlapec myje malé auto, zatímco tři bílí králíci skáčou na zahradě.
Dělník v černé bundě sedí v pokoji.
Dva králíci čekají na náměstí.
Unavený dělník opravuje velký plot v pokoji.
Černá kočka odpočívá.
Veselý turista v černém kabátu odpočívá na hřišti.
Tři králíci běží na pláži.
Unavená žena v zelené košili zpívá na zahradě.
Stará dívka stojí na náměstí s bílým psem.
Stará žena čeká u řeky s černým králíkem.
Muž nese kufr vedle kostela.
Dva staří turisté skáčou na hřišti.
Student v zelené bundě běží za plotem.
Stará zpěvačka drží košík a tři malé kočky běží na hřišti.
Mladý student hraje na trubku, zatímco tři bílí psi skáčou za plotem.
Dva studenti zpívají na náměstí.
Pět černých králíků stojí.
Muž kupuje deštník, zatímco pět velkých psů odpočívá v parku.
Dítě myje krásné kolo u řeky.
Unavený lékař sedí na hřišti.
Vysoké dítě sedí na ulici s bílým psem.
Mladá zpěvačka se prochází před domem s kočkou.
Starý dělník myje novou lavičku, zatímco dvě černé kočky běží v pokoji.
Chlapec spí na hřišti.
Veselá dívka sedí v parku s černým psem.
Veselý turista drží nový deštník, zatímco tři králíci odpočívají za plotem.
Dva turisté odpočívají vedle kostela.
Tři zpěvačky zpívají.
Dva králíci skáčou v pokoji.
Hnědý pes sedí na ulici.
Mladý student v červené bundě stojí na zahradě.
Vysoká dívka stojí v lese s malým psem.
Stará žena v modrém klobouku zpívá pod stromem.
Starý muž stojí blízko nádraží s černou kočkou.
Dítě si hraje v parku s černým králíkem.
Veselý lékař tančí na pláži.
Tři psi skáčou.
Vysoká dívka kupuje obraz, zatímco pět černých králíků odpočívá u řeky.
Žena myje malé okno, zatímco dva bílí psi sedí vedle kostela.
Lékař ve žluté košili stojí u řeky.
Vysoký lékař v zeleném tričku sedí pod stromem.
Stará tanečnice odpočívá na ulici s hnědým psem.
Mladý lékař běží na hřišti s kočkou.
Dítě v červeném tričku odpočívá v parku.
Chlapec pozoruje novou loď.
Vysoká dívka v zeleném klobouku se prochází na pláži.
Unavený turista ve žluté čepici tančí před domem.
Tanečnice opravuje velké auto, zatímco si tři hnědé kočky hrají u řeky.
Vysoká zpěvačka běží na ulici.
Mladá tanečnice kupuje červenou knihu v lese.
Turista běží za plotem s velkým psem.
Dívka myje novou loď, zatímco tři malí králíci čekají na zahradě.
Černý pták sedí.
Stará dívka hledá velký míč před domem.
Pět starých dívek skáče na hřišti.
Starý turista stojí na náměstí s malým psem.
Dítě se prochází za plotem s černým králíkem.
Vysoký muž drží květinu.
Starý dělník tančí pod stromem.
Mladý fotograf drží modrou květinu, zatímco pět velkých koček skáče blízko nádraží.
Starý fotograf sedí vedle kostela se psem.
Stará dívka fotí kočku v lese.
Mladý turista maluje velký plot, zatímco dva psi skáčou před domem.
Vysoký fotograf ve žlutém klobouku se prochází na zahradě.
Unavená dívka sedí za plotem se psem.
Mladý chlapec si hraje v parku s malou kočkou.
Starý chlapec myje nové auto a tři malé kočky odpočívají pod stromem.
Starý muž pozoruje velkého ptáka před domem.
Vysoké dítě si hraje za plotem s černou kočkou.
Starý lékař si hraje na ulici s velkým psem.
Unavený muž myje psa na ulici.
Dítě pozoruje kočku na náměstí.
Dva černí ptáci spí na zahradě.
Dítě v zeleném klobouku odpočívá na hřišti.
Unavená tanečnice pozoruje malý obraz a dvě černé kočky čekají vedle kostela.
Veselý lékař v bílé bundě čeká na hřišti.
Unavená zpěvačka fotí kočku u řeky.
Mladý dělník nese nový obraz u řeky.
Student opravuje loď blízko nádraží.
Mladá zpěvačka čeká na ulici s malým králíkem.
Dítě odpočívá na náměstí s malým králíkem.
Veselý fotograf sedí na pláži s černým psem.
Unavená tanečnice si hraje na ulici s černým králíkem.
Unavený dělník drží krásný míč a pět hnědých ptáků si hraje na zahradě.
Veselá žena v bílé košili běží na pláži.
Turista sedí pod stromem s malým psem.
Chlapec se prochází na pláži s hnědou kočkou.
Mladý lékař hledá nový deštník před domem.
Mladý lékař čeká za plotem s malou kočkou.
Lékař běží v lese s bílým králíkem.
Mladý fotograf odpočívá na náměstí s černým králíkem.
Starý fotograf drží malou knihu, zatímco tři velcí psi spí na zahradě.
Starý chlapec ve žlutém klobouku se prochází před domem.
Mladý muž stojí na zahradě s hnědým králíkem.
Zpěvačka hledá velký klobouk, zatímco pět psů spí na zahradě.
Unavený dělník myje okno a pět bílých psů sedí před domem.
Mladá tanečnice v zeleném kabátu odpočívá na náměstí.
Starý lékař hledá mapu, zatímco tři bílí ptáci sedí v lese.
Dva ptáci čekají na náměstí.
Unavená žena kupuje krásný batoh, zatímco tři malí králíci odpočívají pod stromem.
Mladá žena odpočívá v pokoji.
Starý turista v modré čepici se prochází u řeky.
Veselý muž maluje starou loď blízko nádraží.
Muž se prochází na náměstí s velkou kočkou.
Mladý dělník čeká v pokoji s černým králíkem.
Stará zpěvačka v černém kabátu tančí za plotem.
Starý dělník kupuje květinu, zatímco si pět hnědých králíků hraje za plotem.
Tři staří muži odpočívají pod stromem.
Unavený student spí na náměstí.
Pět ptáků sedí za plotem.
Žena se prochází na náměstí s bílým králíkem.
Dítě v červené bundě se prochází za plotem.
Starý student kupuje modrou knihu pod stromem.
Turista myje nové auto, zatímco tři velcí králíci běží na hřišti.
Mladý dělník fotí starý most a dvě hnědé kočky čekají v parku.
Vysoký chlapec opravuje červenou loď a tři bílé kočky stojí blízko nádraží.
Veselý turista odpočívá.
Dva psi si hrají.
Dívka stojí u řeky.
Starý turista kupuje staré kolo v parku.
Mladý lékař čte dopis, zatímco tři velcí psi sedí za plotem.
Stará tanečnice kupuje modré kolo, zatímco tři malé kočky skáčou u řeky.
Unavený lékař běží v parku se psem.
Lékař nese krásný kufr, zatímco dva bílí psi čekají na ulici.
Žena ve žlutém klobouku běží v pokoji.
Dva staří lékaři skáčou na pláži.
Chlapec stojí před domem s malým králíkem.
Mladý turista si hraje na zahradě s hnědým psem.
Dva staří lékaři si hrají před domem.
Dva ptáci skáčou na zahradě.
Veselý dělník v zelené bundě tančí na pláži.
Vysoký fotograf v modré čepici čeká vedle kostela.
Zpěvačka v černé čepici tančí v lese.
Dělník v zeleném kabátu stojí na ulici.
Mladý muž kupuje modrý deštník a dvě černé kočky odpočívají v lese.
Mladá dívka v bílé bundě čeká na pláži.
Dvě ženy čekají v pokoji.
Stará dívka v bílém kabátu se prochází na zahradě.
Dva unavení lékaři tančí za plotem.
Veselá žena nese lavičku na hřišti.
Veselá zpěvačka stojí na náměstí s kočkou.
Dva psi skáčou na pláži.
Vysoká žena fotí starý kostel na hřišti.
Veselý turista hledá malý kufr.
Unavená tanečnice se prochází na ulici s malým králíkem.
Mladý student sedí vedle kostela s hnědou kočkou.
Starý dělník maluje červené okno a tři králíci sedí před domem.
Veselý muž hraje na trubku blízko nádraží.
Starý dělník odpočívá vedle kostela s bílým králíkem.
Zpěvačka ve žlutém klobouku sedí na pláži.
Veselá tanečnice si hraje v lese s bílou kočkou.
Žena opravuje červenou loď na náměstí.
Vysoká zpěvačka čeká na zahradě.
Turista nese obraz a tři černí ptáci si hrají pod stromem.
Starý muž běží vedle kostela s černou kočkou.
Dělník v zelené košili čeká na zahradě.
Stará zpěvačka stojí u řeky s černým psem.
Muž drží nový míč a dva malí psi odpočívají v parku.
Dva králíci čekají před domem.
Dítě čte dopis vedle kostela.
Unavená žena fotí most vedle kostela.
Starý student kupuje starý obraz pod stromem.
Fotograf v červeném klobouku odpočívá v pokoji.
Mladý lékař drží velkou kytaru, zatímco dva psi spí v pokoji.
Muž opravuje staré kolo a tři bílí psi sedí u řeky.
Turista maluje červený most v pokoji.
Dívka odpočívá na hřišti s černým psem.
Student nese velký batoh, zatímco tři bílí ptáci sedí blízko nádraží.
Starý fotograf si hraje za plotem se psem.
Fotograf ve žluté bundě zpívá za plotem.
Veselý chlapec v červeném kabátu zpívá před domem.
Stará žena sedí za plotem s malou kočkou.
Dělník čte červenou knihu.
Dívka ve žlutém klobouku běží před domem.
Dvě hnědé kočky čekají v pokoji.
Mladý student běží v lese se psem.
Dítě čte novou knihu.
Mladý dělník opravuje staré letadlo, zatímco pět hnědých králíků spí vedle kostela.
Dítě nese malou lavičku před domem.
Mladý muž si hraje před domem.
Mladá dívka fotí most, zatímco tři malí králíci spí na ulici.
Starý dělník kupuje klobouk, zatímco dvě malé kočky běží na zahradě.
Dítě v modrém kabátu čeká před domem.
Mladá žena ve žlutém tričku čeká na náměstí.
Dva staří dělníci skáčou vedle kostela.
Mladá žena myje malé auto.
Mladá zpěvačka se prochází pod stromem s velkou kočkou.
Dělník kupuje mapu, zatímco tři černí psi běží na ulici.
Starý dělník maluje lavičku na zahradě.
Tři velcí psi si hrají pod stromem.
Mladý fotograf běží za plotem.
Muž fotí staré auto.
Unavený lékař sedí na náměstí s černým psem.
Mladý chlapec čeká vedle kostela s malým psem.
Mladý chlapec opravuje malé kolo na hřišti.
Králík skáče na zahradě.
Veselá tanečnice ve žlutém klobouku se prochází pod stromem.
Vysoký lékař v zeleném tričku tančí v pokoji.
Žena se prochází před domem s hnědým králíkem.
Kočka odpočívá v pokoji.
Králík spí u řeky.
Dělník nese modrý obraz, zatímco tři velcí psi odpočívají na náměstí.
Unavený muž v černém tričku sedí pod stromem.
Veselý fotograf v červené čepici zpívá za plotem.
Starý student maluje plot na pláži.
Stará žena maluje malou lavičku blízko nádraží.
Vysoké dítě kupuje malé kolo, zatímco tři velké kočky odpočívají v lese.
Mladý turista se prochází u řeky s velkým králíkem.
Dívka se prochází v pokoji s hnědým psem.
Dívka čeká před domem s hnědou kočkou.
Vysoké dítě se prochází v parku s bílou kočkou.
Stará tanečnice nese batoh pod stromem.
Dělník maluje modrý plot u řeky.
Veselá zpěvačka běží v pokoji s bílou kočkou.
Veselé dítě sedí před domem s malou kočkou.
Zpěvačka se prochází v pokoji s kočkou.
Lékař v červené košili zpívá blízko nádraží.
Chlapec sedí v pokoji s hnědou kočkou.
Unavený student sedí na ulici s malou kočkou.
Pět studentů spí blízko nádraží.
Veselý student běží vedle kostela s malým králíkem.
Stará zpěvačka se prochází na pláži s malou kočkou.
Unavený chlapec odpočívá v lese s malým králíkem.
Starý chlapec maluje dům na pláži.
Mladý fotograf nese lavičku a pět malých psů běží na náměstí.
Dívka fotí velkého ptáka blízko nádraží.
Veselý muž pozoruje nové letadlo v lese.
Unavený chlapec ve žlutém tričku stojí pod stromem.
Mladá tanečnice kupuje malou květinu, zatímco tři malé kočky spí na pláži.
Malý pes sedí na zahradě.
Stará zpěvačka hledá malý klobouk v lese.
Vysoký dělník fotí červený dům na ulici.
Dělník nese krásný kufr.
Turista kupuje velkou mapu, zatímco dva velcí ptáci odpočívají pod stromem.
Dvě velké kočky stojí blízko nádraží.
Vysoká žena v bílém kabátu se prochází blízko nádraží.
Dítě v zelené čepici čeká blízko nádraží.
Dva mladí lékaři se procházejí v parku.
Zpěvačka odpočívá v parku s bílým králíkem.
Dítě běží u řeky se psem.
Dítě sedí v parku s černou kočkou.
Mladý dělník drží květinu a dvě bílé kočky si hrají na ulici.
Starý student v černém kabátu čeká v parku.
Starý lékař maluje krásnou loď, zatímco dvě kočky běží blízko nádraží.
Vysoký muž fotí nové auto, zatímco tři hnědí králíci skáčou v lese.
Dělník stojí v lese s malým psem.
Mladý fotograf si hraje pod stromem.
Velký pták sedí na pláži.
Chlapec v červené čepici běží v pokoji.
Kočka čeká za plotem.
Stará dívka hledá velký batoh, zatímco si dva králíci hrají na náměstí.
Unavený student pozoruje velké letadlo a dva ptáci stojí před domem.
Dva černí psi běží.
Unavený turista sedí pod stromem se psem.
Starý student myje okno.
Veselá zpěvačka sedí na ulici s hnědým psem.
Dívka sedí za plotem.
Černý pes běží za plotem.
Unavený chlapec v červené košili běží na ulici.
Mladý muž maluje loď v pokoji.
Tři černí králíci skáčou.
Mladá zpěvačka drží malou knihu, zatímco pět bílých ptáků běží na hřišti.
Vysoký lékař maluje malý plot a tři bílí králíci skáčou na hřišti.
Dítě stojí za plotem.
Unavené dítě v červeném klobouku se prochází na zahradě.
Mladá dívka v černém kabátu zpívá před domem.
Mladá tanečnice stojí v pokoji.
Lékař pozoruje starého ptáka na náměstí.
Bílý králík běží pod stromem.
Kočka sedí na hřišti.
Dvě mladé tanečnice zpívají na ulici.
Dělník sedí v parku s černým králíkem.
Turista v zeleném tričku běží vedle kostela.
Student nese starý batoh, zatímco tři bílé kočky spí na náměstí.
Vysoký student drží nový klobouk, zatímco tři malí ptáci stojí v pokoji.
Fotograf zpívá vedle kostela.
Dělník hledá starý deštník v parku.
Veselá zpěvačka hledá velkou kočku pod stromem.
Veselá tanečnice zpívá blízko nádraží.
Vysoký chlapec v zeleném klobouku stojí před domem.
Stará dívka nese malý deštník v parku.
Mladý dělník hledá klíč, zatímco si tři velcí ptáci hrají před domem.
Dva staří fotografové odpočívají na hřišti.
Veselá tanečnice pozoruje starý obraz pod stromem.
Vysoká tanečnice čeká za plotem s bílým psem.
Lékař kupuje modrý deštník, zatímco pět velkých ptáků spí na náměstí.
Mladý turista v zelené bundě stojí blízko nádraží.
Dítě čte velkou mapu u řeky.
Lékař čte starou mapu, zatímco pět malých psů sedí na zahradě.
Tři psi sedí na zahradě.
Unavený muž čeká v parku s kočkou.
Pět velkých psů spí blízko nádraží.
Mladý chlapec pozoruje letadlo a tři bílí psi spí vedle kostela.
Mladý turista pozoruje velké letadlo a pět velkých ptáků spí v lese.
Unavený muž hledá velký kufr.
Starý chlapec si hraje vedle kostela.
Starý dělník ve žlutém klobouku se prochází před domem.
Pes sedí na náměstí.
Starý student pozoruje velkou loď, zatímco pět hnědých psů stojí pod stromem.
Starý chlapec drží červený míč a dva bílí ptáci spí před domem.
Starý fotograf čte malou knihu a dva králíci sedí vedle kostela.
Vysoký muž v černé košili běží na ulici.
Starý student myje malé auto na ulici.
Stará žena sedí vedle kostela s hnědým psem.
Starý chlapec v bílém tričku sedí na pláži.
Unavený fotograf v černé košili stojí v parku.
Mladý student hledá starý klobouk, zatímco pět hnědých psů sedí na pláži.
Mladý lékař v bílém tričku se prochází v pokoji.
Dvě malé kočky čekají.
Dívka kupuje květinu.
Vysoký student fotí krásnou loď.
Mladý chlapec ve žluté košili se prochází vedle kostela.
Mladý chlapec v bílém kabátu stojí v pokoji.
Unavený lékař hledá batoh v parku.
Pět starých lékařů sedí.
Chlapec opravuje velké letadlo v lese.
Dva králíci stojí.
Starý muž stojí u řeky s hnědou kočkou.
Mladá zpěvačka ve žluté čepici tančí vedle kostela.
Vysoká dívka pozoruje modré letadlo a dvě hnědé kočky skáčou vedle kostela.
Tanečnice opravuje kolo, zatímco dvě malé kočky stojí v parku.
Mladý lékař v bílém klobouku čeká blízko nádraží.
Muž kupuje červené kolo.
Mladý muž fotí malou květinu, zatímco tři velcí psi stojí před domem.
Dělník kupuje velké kolo na náměstí.
Dvě děti zpívají pod stromem.
Dva malí psi spí u řeky.
Vysoký turista odpočívá na hřišti s velkou kočkou.
Mladá žena si hraje na ulici s černým psem.
Zpěvačka ve žlutém klobouku zpívá před domem.
Veselá zpěvačka v zelené košili běží v parku.
Vysoká dívka se prochází na zahradě s černým králíkem.
Dva dělníci sedí.
Vysoký dělník kupuje novou mapu, zatímco dva psi běží v lese.
Pět mladých studentů skáče na hřišti.
Muž stojí blízko nádraží s černým psem.
Stará tanečnice pozoruje krásné letadlo, zatímco tři kočky běží v lese.
Starý dělník sedí v pokoji s kočkou.
Chlapec v modré košili čeká za plotem.
Chlapec se prochází před domem s králíkem.
Tři staří chlapci si hrají pod stromem.
Dělník myje modré okno a pět bílých králíků čeká v parku.
Vysoká dívka v modré čepici sedí v lese.
Veselý chlapec ve žluté čepici odpočívá na zahradě.
Mladá žena si hraje u řeky s králíkem.
Starý student si hraje u řeky s bílým psem.
Vysoká zpěvačka hledá krásný klíč, zatímco dva hnědí ptáci běží v pokoji.
Muž fotí velké letadlo, zatímco tři černí králíci čekají v pokoji.
Fotograf čeká na pláži.
Velká kočka stojí vedle kostela.
Muž nese malou krabici, zatímco dvě černé kočky skáčou před domem.
Lékař v černém klobouku běží v lese.
Mladý fotograf běží v pokoji s velkou kočkou.
Stará žena drží deštník a tři černí ptáci sedí na náměstí.
Mladý muž čte novou mapu u řeky.
Veselý student drží velký míč a pět velkých psů čeká na zahradě.
Unavený chlapec spí na pláži.
Starý student stojí v lese s velkým psem.
Dva vysocí muži se procházejí v pokoji.
Lékař se prochází.
Mladý muž drží krásný košík, zatímco pět koček běží pod stromem.
Vysoká tanečnice v zelené bundě čeká v lese.
Mladá tanečnice ve žlutém kabátu se prochází blízko nádraží.
Unavená tanečnice v modré košili čeká v lese.
Unavený fotograf maluje malou loď, zatímco tři bílí ptáci spí na náměstí.
Mladá žena běží na pláži s kočkou.
Mladý lékař fotí krásnou kočku.
Mladý fotograf v bílé čepici zpívá v lese.
Dělník maluje nové okno, zatímco pět bílých králíků sedí v pokoji.
Mladý lékař si hraje v pokoji s velkou kočkou.
Vysoký muž opravuje malou loď a dva malí ptáci odpočívají před domem.
Bílá kočka si hraje vedle kostela.
Dělník fotí velký kostel a pět černých ptáků čeká u řeky.
Dvě vysoké dívky spí v parku.
Tři ženy čekají.
Mladý muž opravuje velký deštník blízko nádraží.
Mladý muž sedí na hřišti s malým psem.
Vysoká tanečnice se prochází na zahradě s malým psem.
Zpěvačka stojí před domem s černou kočkou.
Dvě děti spí.
Mladý lékař myje červeného psa.
Vysoký dělník sedí v pokoji s bílým psem.
Lékař stojí před domem s bílým psem.
Pět černých psů spí za plotem.
Starý fotograf drží velkou knihu v pokoji.
Mladý dělník hledá míč a dva velcí králíci skáčou na ulici.
Vysoký turista spí vedle kostela.
Mladá žena si hraje pod stromem s bílým králíkem.
Student v červeném tričku odpočívá za plotem.
Dva veselí muži spí za plotem.
Mladá dívka stojí blízko nádraží s králíkem.
Turista myje okno pod stromem.
Starý turista odpočívá pod stromem.
Dva černí psi čekají pod stromem.
Starý chlapec se prochází v lese.
Bílá kočka odpočívá na hřišti.
Muž maluje červený plot a dva bílí králíci čekají v parku.
Vysoká dívka odpočívá za plotem s černým králíkem.
Mladý chlapec čeká v parku s černým králíkem.
Mladý fotograf se prochází na hřišti s bílým králíkem.
Dvě kočky sedí na hřišti.
Stará žena v modré čepici sedí v parku.
Vysoký chlapec čeká pod stromem s bílým králíkem.
Mladý turista kupuje červenou knihu na ulici.
Vysoká zpěvačka myje malé okno, zatímco dva černí ptáci čekají v lese.
Student v modré čepici zpívá pod stromem.
Vysoký student si hraje na zahradě s malým králíkem.
Veselá dívka čeká na ulici s hnědým králíkem.
Mladá dívka v červeném kabátu sedí na pláži.
Mladá tanečnice čeká v parku se psem.
Unavený fotograf sedí na náměstí s hnědým psem.
Mladá tanečnice odpočívá na pláži s hnědým psem.
Mladý dělník v černé bundě čeká za plotem.
Vysoký lékař ve žlutém kabátu tančí pod stromem.
Chlapec opravuje velké auto, zatímco dvě bílé kočky stojí u řeky.
Fotograf čeká v pokoji s černým králíkem.
Turista pozoruje ptáka u řeky.
Černý králík běží v pokoji.
Unavený fotograf v modrém kabátu sedí na hřišti.
Chlapec maluje starý dům a tři velcí králíci skáčou pod stromem.
Tři mladí lékaři skáčou vedle kostela.
Dva ptáci si hrají.
Vysoká dívka nese starý kufr, zatímco pět černých koček čeká na ulici.
Dvě unavené ženy běží pod stromem.
Vysoké dítě v červeném kabátu odpočívá na zahradě.
Dva psi si hrají na pláži.
Vysoký chlapec odpočívá na hřišti s černým psem.
Chlapec v zelené bundě tančí za plotem.
Student kupuje malou knihu, zatímco tři hnědé kočky běží na ulici.
Žena nese velký batoh, zatímco si pět bílých koček hraje v lese.
Mladá tanečnice zpívá v pokoji.
Stará zpěvačka maluje obraz v pokoji.
Dělník v bílé bundě se prochází na hřišti.
Pět tanečnic sedí za plotem.
Chlapec opravuje nový deštník, zatímco pět velkých psů stojí na pláži.
Starý student v zelené bundě odpočívá pod stromem.
Veselý lékař drží velký klíč na pláži.
Starý chlapec v černém klobouku tančí vedle kostela.
Mladá žena se prochází v parku s bílým psem.
Student fotí malou kočku za plotem.
Dva psi spí.
Unavený fotograf v zelené čepici se prochází u řeky.
Starý turista myje malého psa na zahradě.
Mladá žena hledá starého psa vedle kostela.
Vysoký lékař v modré čepici sedí v parku.
Veselé dítě drží červený míč blízko nádraží.
Mladá žena v modré čepici tančí na náměstí.
Lékař myje loď a dva malí králíci odpočívají na pláži.
Starý student v červeném tričku stojí před domem.
Starý turista nese malý kufr, zatímco pět bílých ptáků běží v pokoji.
Dívka kupuje velkou knihu v lese.
Unavený muž v bílém kabátu zpívá v parku.
Mladý lékař myje staré auto a dvě kočky si hrají pod stromem.
Zpěvačka sedí na hřišti s bílou kočkou.
Mladá dívka opravuje modré kolo.
Starý turista kupuje mapu a pět malých koček spí pod stromem.
Mladý student stojí za plotem s hnědou kočkou.
Tři černé kočky odpočívají.
Starý fotograf hledá červeného psa v lese.
Mladá žena maluje okno, zatímco si tři černé kočky hrají pod stromem.
Mladý student si hraje na náměstí s velkým psem.
Vysoký chlapec ve žlutém tričku tančí za plotem.
Unavený lékař hledá klobouk a dva hnědí králíci čekají blízko nádraží.
Mladý lékař stojí na zahradě se psem.
Zpěvačka v červené čepici tančí u řeky.
Vysoký muž fotí starý kostel, zatímco dva bílí psi spí v lese.
Lékař fotí staré auto na zahradě.
Mladá zpěvačka běží na náměstí s kočkou.
Unavený fotograf se prochází na hřišti s velkým psem.
Student sedí.
Starý chlapec čeká na ulici s hnědým králíkem.
Dělník nese modrou lavičku a dva hnědí ptáci odpočívají v lese.
Stará tanečnice v modrém tričku běží za plotem.
Mladý muž v modrém tričku odpočívá u řeky.
Dvě malé kočky čekají na pláži.
Dělník maluje malou loď v parku.
Stará tanečnice opravuje malé auto.
Muž si hraje na pláži s bílým psem.
Vysoká tanečnice odpočívá pod stromem se psem.
Vysoká tanečnice v červeném klobouku sedí na zahradě.
Stará tanečnice se prochází vedle kostela s černým králíkem.
Stará tanečnice v černé bundě čeká před domem.
Dělník v černém tričku odpočívá na pláži.
Fotograf ve žlutém klobouku čeká před domem.
Fotograf v modré čepici se prochází před domem.
Student opravuje velké kolo na ulici.
Starý muž tančí.
Unavený turista si hraje v parku s černou kočkou.
Mladý muž hledá červený kufr a tři malí ptáci spí blízko nádraží.
Mladý fotograf se prochází před domem s malým králíkem.
Unavená zpěvačka drží nový košík v lese.
Mladá zpěvačka drží nový košík, zatímco tři velcí ptáci spí na pláži.
Vysoký muž odpočívá na pláži s hnědým králíkem.
Muž kupuje velkou mapu u řeky.
Dva bílí psi stojí na ulici.
Mladá zpěvačka nese novou krabici, zatímco dva černí králíci čekají pod stromem.
Veselý muž nese nový deštník a dvě černé kočky odpočívají pod stromem.
Dvě staré dívky sedí na ulici.
Hnědý králík si hraje u řeky.
Stará dívka v červené bundě sedí u řeky.
Veselý turista myje novou loď a dva černí králíci spí na ulici.
Unavená tanečnice odpočívá blízko nádraží s velkou kočkou.
Starý dělník maluje velkou lavičku v parku.
Žena běží na náměstí s bílým králíkem.
Starý student v červené čepici se prochází za plotem.
Dítě v bílém klobouku stojí u řeky.
Muž v modré košili tančí u řeky.
Mladý muž sedí před domem s velkou kočkou.
Vysoký student fotí most na ulici.
Unavená dívka maluje krásný most na pláži.
Dítě sedí v parku se psem.
Dva velcí psi běží na ulici.
Student v zelené čepici běží blízko nádraží.
Vysoký lékař hledá červený batoh za plotem.
Mladá dívka fotí velkého ptáka na pláži.
Unavená tanečnice běží na hřišti s velkou kočkou.
Dělník hledá klobouk u řeky.
Veselý dělník myje staré okno, zatímco pět bílých králíků spí na zahradě.
Student v zeleném klobouku odpočívá blízko nádraží.
Mladá zpěvačka maluje starý obraz za plotem.
Chlapec si hraje v pokoji s malým psem.
Dívka kupuje deštník před domem.
Veselý lékař maluje modrou loď za plotem.
Mladý dělník si hraje pod stromem s malým psem.
Veselá tanečnice stojí na hřišti s černou kočkou.
Veselý fotograf hledá modrý míč a dva velcí psi stojí pod stromem.
Mladý fotograf zpívá pod stromem.
Muž hledá psa.
Pět malých koček běží pod stromem.
Unavená dívka drží starou knihu na pláži.
Veselý lékař v modré bundě sedí pod stromem.
Mladá tanečnice v modré košili se prochází u řeky.
Starý fotograf čte dopis.
Stará žena se prochází za plotem s malým psem.
Stará zpěvačka drží malou knihu a tři hnědí psi stojí na ulici.
Starý lékař hledá červený míč a dva hnědí králíci odpočívají pod stromem.
Student se prochází na náměstí s černým psem.
Mladý fotograf nese malý obraz a pět hnědých koček stojí v pokoji.
Fotograf v modrém kabátu běží na zahradě.
Vysoký dělník si hraje v parku s králíkem.
Starý dělník stojí na zahradě s velkým králíkem.
Vysoké dítě v černé bundě sedí na náměstí.
Zpěvačka pozoruje červenou loď a tři hnědí psi odpočívají pod stromem.
Žena se prochází v parku s velkým psem.
Pes spí v pokoji.
Vysoký muž v modrém kabátu tančí na zahradě.
Vysoký student si hraje na pláži s hnědým psem.
Dělník drží nový míč, zatímco tři malí psi odpočívají na pláži.
Mladý chlapec v zeleném klobouku se prochází před domem.
Mladý turista tančí na hřišti.
Mladý chlapec v červeném tričku se prochází na zahradě.
Unavený muž kupuje mapu na zahradě.
Dívka fotí most, zatímco dva malí králíci běží na hřišti.
Veselé dítě hraje na trubku, zatímco si pět malých psů hraje před domem.
Mladý chlapec fotí novou kočku.
Starý fotograf odpočívá vedle kostela s králíkem.
Unavený lékař drží červenou mapu, zatímco pět černých králíků skáče pod stromem.
Starý fotograf sedí u řeky s kočkou.
Muž nese malý kufr, zatímco pět bílých králíků odpočívá pod stromem.
Zpěvačka zpívá vedle kostela.
Zpěvačka čeká na ulici s malým psem.
Muž stojí vedle kostela s malou kočkou.
Dvě děti stojí před domem.
Mladá tanečnice maluje velký dům, zatímco dva velcí králíci běží u řeky.
Vysoký fotograf hledá starý batoh, zatímco dva králíci stojí za plotem.
Unavený muž kupuje malé kolo pod stromem.
Mladá zpěvačka nese velký batoh a pět hnědých králíků si hraje blízko nádraží.
Unavená žena stojí na ulici s velkou kočkou.
Stará dívka fotí červený kostel pod stromem.
Starý chlapec nese starou kytaru a pět hnědých psů odpočívá na náměstí.
Velký králík sedí.
Vysoká dívka nese malý deštník a dva hnědí ptáci spí v lese.
Starý student v modrém tričku čeká u řeky.
Vysoký dělník drží květinu a dva velcí psi běží u řeky.
Veselý student čte červenou knihu v parku.
Zpěvačka si hraje u řeky s černým králíkem.
Starý turista stojí na náměstí s bílou kočkou.
Veselé dítě stojí vedle kostela.
Student fotí velký most, zatímco pět bílých psů skáče za plotem.
Chlapec si hraje na ulici s bílým králíkem.
Veselý student běží v parku.
Unavený muž nese starou kytaru, zatímco tři malí králíci odpočívají pod stromem.
Tanečnice v zeleném kabátu běží na hřišti.
Vysoký fotograf v červené košili sedí v parku.
Vysoký muž ve žluté čepici čeká u řeky.
Tři chlapci se procházejí.
Dva unavení chlapci spí vedle kostela.
Lékař nese starý košík, zatímco dva králíci čekají pod stromem.
Dívka pozoruje modrou loď a dvě malé kočky stojí blízko nádraží.
Veselý dělník ve žluté čepici stojí na hřišti.
Stará tanečnice odpočívá před domem.
Dva staří muži odpočívají na ulici.
Pět dětí si hraje v pokoji.
Unavený dělník čte modrou knihu na hřišti.
Starý lékař nese kytaru a pět bílých psů skáče na hřišti.
Vysoká tanečnice čte knihu na zahradě.
Unavené dítě drží klobouk, zatímco si dvě kočky hrají u řeky.
Muž drží nový košík před domem.
Vysoké dítě čte velký dopis, zatímco si tři hnědí psi hrají na zahradě.
Dva turisté tančí blízko nádraží.
Unavená žena opravuje kolo na náměstí.
Dívka sedí na zahradě s černou kočkou.
Starý chlapec fotí dům, zatímco tři ptáci sedí na náměstí.
Mladá dívka sedí na ulici s bílou kočkou.
Starý dělník hledá červenou mapu, zatímco dvě hnědé kočky čekají u řeky.
Vysoký turista nese krabici na ulici.
Dva malí ptáci skáčou za plotem.
Dítě běží před domem se psem.
Tři ptáci čekají.
Malý pták skáče v lese.
Dvě kočky si hrají vedle kostela.
Unavené dítě v černém tričku čeká na náměstí.
Stará žena hledá starý klíč a tři bílé kočky si hrají před domem.
Dívka čte novou mapu, zatímco si pět hnědých králíků hraje v pokoji.
Stará dívka spí.
Veselý lékař fotí nového ptáka vedle kostela.
Turista fotí malé auto blízko nádraží.
Starý turista si hraje v lese s velkým králíkem.
Vysoký student tančí na hřišti.
Vysoká zpěvačka odpočívá na hřišti s bílou kočkou.
Dvě kočky běží.
Unavený muž nese krásnou krabici za plotem.
Dva psi odpočívají na hřišti.
Unavený dělník čte starou mapu, zatímco dva černí ptáci sedí za plotem.
Unavený chlapec opravuje velkou loď vedle kostela.
Veselý fotograf pozoruje krásnou kočku.
Dva mladí muži odpočívají vedle kostela.
Mladý student nese starou lavičku, zatímco pět králíků běží pod stromem.
Tanečnice hledá malý kufr na hřišti.
Veselá tanečnice běží vedle kostela s hnědým králíkem.
Chlapec čeká u řeky s králíkem.
Dítě čeká u řeky s bílým králíkem.
Mladý turista opravuje nový most před domem.
Mladá tanečnice v černé čepici odpočívá na hřišti.
Mladý dělník kupuje velkou mapu, zatímco si dvě malé kočky hrají na pláži.
Pět dětí skáče v pokoji.
Veselá zpěvačka tančí v lese.
Dva králíci spí na ulici.
Starý muž hledá deštník, zatímco pět hnědých psů skáče v pokoji.
Starý dělník v červené bundě čeká v lese.
Chlapec fotí velký most na pláži.
Stará žena ve žluté bundě zpívá před domem.
Mladý muž nese starý batoh a dva velcí ptáci si hrají blízko nádraží.
Vysoký dělník stojí v lese s hnědým králíkem.
Tanečnice v černé košili stojí blízko nádraží.
Unavené dítě odpočívá blízko nádraží s bílým králíkem.
Žena stojí na ulici s velkým psem.
Unavené dítě hraje na klavír a dva malí králíci běží před domem.
Zpěvačka zpívá na náměstí.
Unavená zpěvačka opravuje most za plotem.
Vysoký student myje velké auto a tři kočky skáčou na pláži.
Dělník opravuje starou loď na ulici.
Mladý muž čte knihu a tři hnědí ptáci sedí v lese.
Vysoký dělník drží malou květinu.
Unavený fotograf běží na náměstí s kočkou.
Stará zpěvačka běží pod stromem s bílým psem.
Dvě unavené ženy skáčou vedle kostela.
Starý chlapec čeká v pokoji s velkým králíkem.
Turista fotí velký dům před domem.
Starý lékař hraje na klavír, zatímco si pět bílých koček hraje v lese.
Stará tanečnice sedí za plotem s velkým psem.
Veselá tanečnice ve žlutém klobouku čeká na hřišti.
Vysoký student v modrém tričku tančí na pláži.
Bílý pes stojí v pokoji.
Chlapec hledá starý míč a dva hnědí psi stojí na náměstí.
Starý student si hraje vedle kostela s hnědým králíkem.
Bílý pták stojí blízko nádraží.
Fotograf maluje krásnou loď za plotem.
Veselá tanečnice čeká před domem s bílým psem.
Starý muž sedí u řeky s malou kočkou.
Vysoká dívka kupuje malou květinu na ulici.
Lékař opravuje starý deštník za plotem.
Starý student stojí vedle kostela s hnědým králíkem.
Vysoké dítě pozoruje nový obraz, zatímco tři hnědé kočky spí v parku.
Zpěvačka sedí na náměstí s velkým králíkem.
Chlapec v modré bundě stojí na hřišti.
Dělník v bílém klobouku čeká na hřišti.
Dvě mladé zpěvačky odpočívají na pláži.
Veselá dívka stojí na zahradě s černou kočkou.
Vysoká dívka v červeném tričku čeká v lese.
Pět velkých psů sedí na hřišti.
Vysoká tanečnice v černém klobouku stojí na náměstí.
Lékař hledá psa u řeky.
Tanečnice maluje nový most, zatímco pět ptáků odpočívá na náměstí.
Unavená žena drží malou kytaru a dva králíci čekají v lese.
Tři černí psi skáčou u řeky.
Tanečnice čeká na hřišti s velkým králíkem.
Pět černých ptáků spí blízko nádraží.
Mladý chlapec běží u řeky se psem.
Unavený fotograf odpočívá na hřišti s černou kočkou.
Stará zpěvačka drží červený klíč a pět černých ptáků si hraje na pláži.
Vysoký fotograf čte krásný dopis, zatímco tři velcí psi spí blízko nádraží.
Veselá žena v bílé čepici zpívá v lese.
Dvě dívky spí na pláži.
Fotograf maluje malý plot pod stromem.
Mladá zpěvačka si hraje pod stromem s černým psem.
Pět dívek odpočívá v parku.
Muž si hraje na pláži.
Dva velcí králíci spí.
Turista drží modrou květinu v parku.
Veselé dítě v bílém klobouku zpívá za plotem.
Dva muži stojí na pláži.
Unavený fotograf v černé košili běží na hřišti.
Stará tanečnice nese krásný deštník na náměstí.
Starý chlapec čeká na náměstí s bílým králíkem.
Tanečnice maluje modrý most pod stromem.
Hnědý králík čeká.
Dva psi sedí na zahradě.
Unavený chlapec opravuje červenou lavičku a tři hnědí králíci čekají v lese.
Žena nese velkou lavičku a tři černí králíci sedí v pokoji.
Mladá tanečnice nese velkou krabici a pět černých králíků spí na náměstí.
Veselý lékař čeká v parku.
Dělník běží pod stromem s velkým králíkem.
Dvě malé kočky běží na hřišti.
Dvě vysoké ženy čekají.
Starý lékař v červeném tričku zpívá u řeky.
Malá kočka běží pod stromem.
Chlapec kupuje novou knihu v pokoji.
Starý dělník v zeleném kabátu tančí vedle kostela.
Unavený fotograf kupuje starý deštník a dva ptáci stojí v parku.
Stará dívka čte knihu, zatímco si pět hnědých koček hraje u řeky.
Tanečnice fotí kostel u řeky.
Dvě zpěvačky se procházejí v lese.
Mladý chlapec fotí kostel.
Student čeká u řeky s hnědým psem.
Starý lékař v bílé bundě tančí na náměstí.
Veselý chlapec běží za plotem s hnědou kočkou.
Unavený dělník v zelené košili sedí vedle kostela.
Stará žena kupuje starý obraz, zatímco tři bílé kočky běží v pokoji.
Unavený student pozoruje starého ptáka.
Vysoká žena opravuje červenou lavičku vedle kostela.
Vysoká dívka v modrém klobouku tančí v lese.
Starý dělník sedí v parku s bílým psem.
Dva mladí fotografové sedí na ulici.
Student fotí starou loď a pět hnědých ptáků čeká před domem.
Mladý dělník opravuje staré auto před domem.
Veselý dělník drží modrý klobouk a dva malí psi sedí za plotem.
Dělník stojí u řeky s kočkou.
Žena fotí nový kostel, zatímco dva bílí králíci odpočívají u řeky.
Starý chlapec v červeném tričku sedí na ulici.
Malý pes běží v parku.
Mladý dělník v zelené košili běží v parku.
Starý chlapec fotí starou loď, zatímco pět černých králíků čeká v pokoji.
Dívka nese kytaru blízko nádraží.
Mladý turista čeká v pokoji s bílou kočkou.
Starý dělník drží starou mapu v parku.
Vysoký turista v bílé čepici odpočívá blízko nádraží.
Bílá kočka skáče v parku.
Unavený fotograf kupuje starou knihu na zahradě.
Tři hnědí ptáci běží v pokoji.
Zpěvačka ve žluté bundě sedí blízko nádraží.
Malá kočka si hraje na zahradě.
Mladý turista se prochází na zahradě s hnědým psem.
Starý lékař opravuje letadlo, zatímco pět psů běží vedle kostela.
Dva vysocí dělníci si hrají vedle kostela.
Mladá zpěvačka hledá psa na pláži.
Veselé dítě běží v lese s kočkou.
Vysoký lékař kupuje velkou květinu a pět hnědých koček odpočívá blízko nádraží.
Unavená žena fotí květinu na hřišti.
Mladý muž se prochází na ulici s černým psem.
Starý lékař opravuje auto v pokoji.
Mladý chlapec drží klobouk před domem.
Zpěvačka v modré košili stojí na pláži.
Turista fotí nový dům na hřišti.
Mladý muž se prochází v lese s velkým králíkem.
Vysoký lékař hledá velký klíč a pět černých psů běží před domem.
Vysoký student kupuje kolo, zatímco dva psi odpočívají na ulici.
Stará zpěvačka sedí blízko nádraží s hnědým psem.
Unavený turista stojí v pokoji s hnědým psem.
Vysoký student v modré bundě odpočívá za plotem.
Žena se prochází v pokoji se psem.
Mladá žena nese nový deštník na zahradě.
Pět turistů zpívá.
Dvě zpěvačky spí za plotem.
Dvě bílé kočky skáčou před domem.
Tři ptáci si hrají v parku.
Starý muž sedí.
Starý muž hledá velkou mapu a tři malí ptáci běží u řeky.
Pes běží vedle kostela.
Stará dívka v bílém tričku se prochází na zahradě.
Zpěvačka zpívá v parku.
Mladý student myje modré auto před domem.
Žena nese krabici blízko nádraží.
Pět malých králíků sedí za plotem.
Veselý chlapec hledá malý batoh a pět hnědých psů si hraje v parku.
Student se prochází pod stromem s malým psem.
Mladý fotograf skáče v lese.
Chlapec se prochází na hřišti s králíkem.
Mladý dělník v zeleném kabátu se prochází na zahradě.
Pět vysokých dělníků se prochází pod stromem.
Starý lékař se prochází před domem s malou kočkou.
Zpěvačka si hraje na náměstí s velkým psem.
Unavený lékař hledá velkou mapu, zatímco dvě velké kočky běží na hřišti.
Unavená dívka se prochází vedle kostela s malým králíkem.
Starý fotograf v červené čepici běží blízko nádraží.
Unavená zpěvačka fotí starý dům v lese.
Veselá tanečnice běží v lese s malým králíkem.
Starý muž kupuje květinu a tři velcí ptáci si hrají na hřišti.
Turista kupuje červený batoh v lese.
Zpěvačka sedí na náměstí s hnědou kočkou.
Chlapec fotí starý most a dvě velké kočky čekají v pokoji.
Veselá žena sedí na náměstí.
Starý fotograf skáče u řeky.
Veselá tanečnice se prochází v lese s malou kočkou.
Mladá tanečnice drží knihu a dva bílí psi odpočívají pod stromem.
Dítě maluje dům, zatímco pět černých králíků běží v parku.
Dělník pozoruje velký obraz na zahradě.
Žena nese velkou krabici a tři hnědé kočky spí v lese.
Žena drží malou mapu na hřišti.
Dítě maluje nový most.
Zpěvačka pozoruje velké letadlo a dva bílí ptáci sedí v parku.
Mladý student hledá malý klobouk, zatímco dvě malé kočky stojí pod stromem.
Chlapec maluje malou lavičku v pokoji.
Zpěvačka nese novou krabici, zatímco tři malí králíci stojí na náměstí.
Unavená dívka drží velkou květinu v pokoji.
Zpěvačka drží červený deštník, zatímco pět bílých koček odpočívá na zahradě.
Vysoké dítě v zeleném klobouku odpočívá v lese.
Bílý pták si hraje za plotem.
Starý lékař opravuje červenou lavičku a pět malých králíků si hraje vedle kostela.
Stará tanečnice sedí na hřišti s bílým psem.
Mladý muž ve žluté bundě tančí za plotem.
Mladý dělník v červeném tričku odpočívá u řeky.
Muž v červené bundě odpočívá v pokoji.
Stará dívka ve žlutém klobouku zpívá za plotem.
Dívka fotí loď.
Stará dívka kupuje malou mapu, zatímco tři bílé kočky sedí vedle kostela.
Starý turista nese lavičku blízko nádraží.
Chlapec opravuje lavičku, zatímco si tři malí králíci hrají na ulici.
Starý chlapec v černé bundě se prochází na zahradě.
Mladý fotograf myje lavičku, zatímco tři malí psi sedí na hřišti.
Mladá dívka drží malou mapu a pět králíků odpočívá v lese.
Turista myje malou loď na ulici.
Mladá dívka drží mapu, zatímco dva velcí ptáci odpočívají pod stromem.
Tanečnice v červeném tričku zpívá před domem.
Starý lékař si hraje v lese s hnědým králíkem.
Tři staří studenti tančí blízko nádraží.
Unavená tanečnice kupuje velký klobouk.
Vysoký turista kupuje knihu, zatímco dva velcí králíci sedí v lese.
Veselý muž pozoruje malou kočku vedle kostela.
Mladý fotograf v zeleném tričku odpočívá na hřišti.
Starý dělník myje auto.
Vysoký turista hledá starý klobouk pod stromem.
Veselá žena maluje velký most, zatímco pět ptáků čeká na zahradě.
Muž maluje malou lavičku a tři hnědí ptáci si hrají na hřišti.
Stará žena kupuje malou mapu na náměstí.
Dívka drží klíč na zahradě.
Zpěvačka odpočívá v pokoji s malou kočkou.
Mladý fotograf v bílé bundě zpívá v parku.
Veselý fotograf v bílém klobouku odpočívá na ulici.
Dělník v zeleném tričku zpívá za plotem.
Stará žena si hraje na pláži s hnědou kočkou.
Tři bílí ptáci spí.
Dva lékaři skáčou u řeky.
Vysoký chlapec opravuje nový most a dvě bílé kočky čekají v lese.
Stará zpěvačka běží.
Pět lékařů sedí v pokoji.
Mladá tanečnice stojí na pláži s malým králíkem.
Unavený chlapec stojí na zahradě s černým psem.
Dva černí králíci odpočívají na zahradě.
Kočka sedí.
Stará zpěvačka maluje velký most, zatímco pět bílých králíků skáče v lese.
Unavený chlapec v bílé čepici stojí na hřišti.
Vysoký student pozoruje červené letadlo a dva bílí ptáci skáčou vedle kostela.
Mladá zpěvačka opravuje staré letadlo.
Pět unavených lékařů si hraje na náměstí.
Vysoká tanečnice stojí na náměstí s velkým psem.
Unavená tanečnice se prochází v parku.
Unavený turista kupuje modrý deštník a pět velkých ptáků spí v pokoji.
Chlapec v modrém kabátu se prochází na ulici.
Lékař sedí na ulici.
Mladý chlapec si hraje na zahradě s bílým králíkem.
Dva mladí muži čekají na pláži.
Vysoká žena v bílé čepici čeká na ulici.
Starý fotograf maluje modrý kostel vedle kostela.
Velká kočka stojí.
Zpěvačka v červené bundě zpívá v parku.
Dělník v zeleném klobouku sedí na zahradě.
Dva ptáci si hrají v parku.
Vysoký chlapec maluje velkou loď na pláži.
Vysoký dělník v zeleném klobouku tančí na zahradě.
Dva dělníci odpočívají.
Unavený lékař hledá mapu, zatímco pět bílých psů sedí za plotem.
Tři fotografové sedí v lese.
Dva dělníci skáčou za plotem.
Starý turista hledá nový batoh vedle kostela.
Veselý fotograf čeká blízko nádraží.
Vysoký lékař kupuje malý klobouk a pět velkých ptáků spí vedle kostela.
Starý turista fotí velké auto.
Veselý lékař v modrém klobouku běží vedle kostela.
Mladý turista se prochází za plotem s bílým králíkem.
Tři černí králíci skáčou na zahradě.
Vysoký student kupuje červenou mapu, zatímco pět velkých psů spí na pláži.
Dítě kupuje malou květinu a pět velkých psů stojí na náměstí.
Fotograf fotí krásný dům.
Unavený dělník sedí pod stromem s malou kočkou.
Dělník pozoruje letadlo a tři bílí králíci odpočívají u řeky.
Pět unavených dělníků běží pod stromem.
Fotograf drží starý míč a tři černí psi si hrají v lese.
Veselá žena hledá nový batoh na náměstí.
Dělník si hraje vedle kostela s kočkou.
Lékař v červeném tričku odpočívá u řeky.
Veselý fotograf sedí před domem se psem.
Dvě ženy skáčou na náměstí.
Unavený student kupuje modrý obraz a pět černých králíků skáče v lese.
Dítě v bílé bundě odpočívá na zahradě.
Mladý chlapec čeká na ulici s velkou kočkou.
Veselý chlapec opravuje nový plot v lese.
Mladá dívka nese nový košík, zatímco tři malí psi stojí v parku.
Starý fotograf sedí blízko nádraží s černou kočkou.
Unavená tanečnice odpočívá na zahradě s kočkou.
Veselá tanečnice běží u řeky se psem.
Student stojí.
Veselý turista odpočívá vedle kostela s velkou kočkou.
Dívka čeká na hřišti.
Muž ve žluté košili odpočívá pod stromem.
Unavený muž opravuje nový most.
Chlapec běží blízko nádraží s malým psem.
Zpěvačka maluje kostel na pláži.
Starý chlapec hledá velkou kočku u řeky.
Dvě tanečnice si hrají.
Zpěvačka fotí velkého ptáka na pláži.
Veselý chlapec hledá velký kufr, zatímco dva velcí králíci odpočívají v lese.
Veselý chlapec čeká na zahradě s hnědým psem.
Žena v červeném kabátu běží blízko nádraží.
Veselé dítě maluje dům, zatímco tři černí psi spí pod stromem.
Mladý student čte starou mapu u řeky.
Žena fotí novou kočku na náměstí.
Unavený fotograf myje červené kolo v parku.
Mladý lékař nese malý košík na ulici.
Mladý lékař v modré bundě sedí u řeky.
Stará žena v červeném klobouku sedí před domem.
Unavená dívka v zelené košili zpívá pod stromem.
Mladá žena si hraje na pláži.
Pták běží v parku.
Starý lékař v červeném tričku se prochází blízko nádraží.
Stará žena stojí u řeky s bílým králíkem.
Tanečnice v červené bundě se prochází pod stromem.
Vysoký student pozoruje obraz na zahradě.
Dívka v bílém tričku se prochází na zahradě.
Starý turista stojí u řeky.
Mladý dělník nese batoh a dva černí králíci odpočívají pod stromem.
Starý turista sedí na zahradě s černou kočkou.
Tři lékaři si hrají.
Chlapec ve žlutém tričku zpívá na ulici.
Starý fotograf myje velké kolo a tři malí psi stojí za plotem.
Muž v modré bundě sedí v pokoji.
Turista opravuje velké kolo a pět velkých ptáků čeká na ulici.
Veselá zpěvačka kupuje velký obraz a pět malých koček odpočívá v pokoji.
Unavený student nese novou kytaru před domem.
Vysoký muž odpočívá na ulici s malým psem.
Vysoký muž drží velký klíč a pět malých psů si hraje na hřišti.
Tanečnice opravuje malé kolo v lese.
Stará zpěvačka čte dopis před domem.
Mladý student v černé bundě čeká v lese.
Dělník se prochází na hřišti s černým králíkem.
Dělník drží krásnou mapu na hřišti.
Stará zpěvačka v bílém klobouku odpočívá na ulici.
Lékař v zelené košili sedí za plotem.
Vysoký lékař hledá modrý kufr, zatímco dvě velké kočky čekají za plotem.
Starý muž v modrém klobouku zpívá na zahradě.
Dítě nese červený obraz, zatímco pět bílých psů čeká na pláži.
Dvě veselé dívky sedí pod stromem.
Starý turista pozoruje krásného králíka vedle kostela.
Starý lékař hledá modrou mapu, zatímco tři bílí ptáci stojí za plotem.
Mladý muž maluje malý plot, zatímco pět ptáků sedí vedle kostela.
Mladá tanečnice se prochází na hřišti s malou kočkou.
Vysoký student hledá mapu, zatímco pět bílých ptáků běží blízko nádraží.
Unavený fotograf drží malou květinu a dva velcí králíci si hrají na ulici.
Mladý student se prochází na hřišti s králíkem.
Vysoké dítě hledá batoh a tři hnědí králíci spí na ulici.
Vysoká tanečnice odpočívá v parku s hnědou kočkou.
Unavený muž kupuje velkou knihu před domem.
Vysoké dítě drží modrý košík, zatímco dvě malé kočky čekají blízko nádraží.
Tanečnice odpočívá pod stromem s malým králíkem.
Unavený lékař si hraje u řeky s bílým psem.
Vysoký fotograf hledá krásného psa na náměstí.
Mladý chlapec myje červené kolo, zatímco si pět hnědých králíků hraje v parku.
Dělník kupuje knihu a pět černých koček sedí na ulici.
Starý dělník sedí za plotem s černou kočkou.
Mladá žena drží velký klíč a tři velké kočky odpočívají u řeky.
Dívka stojí před domem.
Vysoký muž ve žluté košili čeká pod stromem.
Pět koček odpočívá blízko nádraží.
Chlapec kupuje novou mapu a pět hnědých ptáků běží na hřišti.
Pět starých mužů si hraje na náměstí.
Pět žen stojí pod stromem.
Student odpočívá na zahradě s velkým králíkem.
Žena opravuje velkou loď v lese.
Mladý muž myje velkou loď.
Vysoká zpěvačka pozoruje starého psa na pláži.
Lékař drží klobouk, zatímco dva malí ptáci čekají vedle kostela.
Zpěvačka odpočívá na náměstí s malým králíkem.
Vysoké dítě kupuje velkou knihu v parku.
Mladý turista odpočívá na náměstí s kočkou.
Dva černí psi si hrají blízko nádraží.
Dva muži odpočívají.
Tři veselí lékaři tančí na hřišti.
Mladý lékař stojí v lese se psem.
Zpěvačka v černé čepici stojí na ulici.
Vysoký turista v zeleném klobouku zpívá v lese.
Mladý student si hraje.
Vysoký chlapec v zeleném tričku zpívá na hřišti.
Muž maluje krásnou lavičku.
Chlapec ve žluté bundě zpívá vedle kostela.
Mladý dělník ve žluté košili odpočívá na ulici.
Dva bílí ptáci běží v parku.
Mladý student kupuje modrý deštník, zatímco dva ptáci čekají za plotem.
Student maluje nový kostel a pět hnědých králíků si hraje na pláži.
Vysoká dívka v zelené čepici běží na hřišti.
Muž se prochází za plotem s kočkou.
Lékař odpočívá v pokoji s bílou kočkou.
Dva psi skáčou na hřišti.
Dvě děti sedí na hřišti.
Mladý student ve žluté bundě odpočívá na zahradě.
Mladý chlapec drží krásnou mapu, zatímco pět velkých ptáků čeká za plotem.
Dva králíci si hrají u řeky.
Starý turista sedí.
Tři kočky čekají na pláži.
Student drží kytaru, zatímco dva malí psi skáčou před domem.
Mladá žena sedí v pokoji s velkým králíkem.
Chlapec fotí loď a pět černých králíků spí pod stromem.
Zpěvačka stojí na zahradě s hnědým králíkem.
Vysoký dělník maluje starý dům a tři velcí psi běží v pokoji.
Mladá zpěvačka v černém tričku sedí pod stromem.
Vysoká tanečnice myje starou lavičku a dva velcí psi spí na hřišti.
Lékař myje malé okno.
Mladý muž fotí auto a pět velkých králíků běží na náměstí.
Veselá tanečnice v červené košili čeká na pláži.
Velký pták odpočívá před domem.
Veselý turista nese obraz, zatímco pět koček běží na hřišti.
Veselý dělník se prochází na zahradě s černou kočkou.
Dítě nese malý deštník v parku.
Mladá tanečnice ve žlutém kabátu sedí u řeky.
Vysoká zpěvačka hraje na trubku, zatímco si pět ptáků hraje u řeky.
Dvě zpěvačky skáčou před domem.
Žena drží mapu.
Tanečnice běží na hřišti s velkou kočkou.
Žena maluje malou lavičku na hřišti.
Mladý lékař hledá novou mapu a tři hnědé kočky si hrají vedle kostela.
Stará tanečnice stojí.
Lékař opravuje malé kolo, zatímco tři hnědí králíci čekají v pokoji.
Pět bílých psů odpočívá na hřišti.
Dělník odpočívá v pokoji.
Lékař drží červenou květinu za plotem.
Tanečnice v modré bundě zpívá před domem.
Stará dívka v červené čepici zpívá na pláži.
Vysoký turista hledá kufr, zatímco tři ptáci stojí blízko nádraží.
Starý student běží za plotem s bílou kočkou.
Mladý lékař opravuje nové letadlo u řeky.
Vysoká dívka běží v pokoji s černým králíkem.
Student se prochází pod stromem s černou kočkou.
Stará žena čeká blízko nádraží s malou kočkou.
Vysoká tanečnice hledá míč na zahradě.
Malá kočka stojí na zahradě.
Unavený muž opravuje starý plot a tři bílí ptáci spí v parku.
Velký králík čeká vedle kostela.
Stará tanečnice nese malou kytaru a tři černí ptáci sedí za plotem.
Mladý dělník myje novou lavičku, zatímco pět černých psů sedí na zahradě.
Veselý muž sedí za plotem s hnědým králíkem.
Mladá tanečnice ve žlutém tričku se prochází v parku.
Mladá žena fotí květinu a tři velcí ptáci si hrají na ulici.
Starý muž v zelené čepici zpívá v parku.
Dívka stojí na zahradě.
Fotograf čte dopis a pět černých králíků odpočívá blízko nádraží.
Starý fotograf se prochází blízko nádraží s bílým psem.
Starý dělník v zelené čepici stojí na náměstí.
Dva staří chlapci čekají pod stromem.
Starý fotograf ve žlutém klobouku odpočívá v pokoji.
Vysoký dělník odpočívá na ulici s malým králíkem.
Mladá zpěvačka se prochází vedle kostela se psem.
Chlapec se prochází blízko nádraží s králíkem.
Starý turista nese krabici vedle kostela.
Mladý muž stojí na ulici s kočkou.
Pět chlapců stojí u řeky.
Veselá tanečnice maluje nový kostel, zatímco tři černé kočky stojí v pokoji.
Veselý muž si hraje na náměstí s bílou kočkou.
Veselý chlapec čte knihu v pokoji.
Starý muž nese starou kytaru blízko nádraží.
Muž opravuje malé letadlo, zatímco si dva ptáci hrají v lese.
Fotograf kupuje modrou květinu.
Veselý student opravuje velký deštník, zatímco pět bílých ptáků stojí na zahradě.
Zpěvačka nese malý košík, zatímco tři psi skáčou na pláži.
Lékař skáče na pláži.
Starý chlapec odpočívá.
Mladý lékař myje malou loď a pět bílých koček skáče za plotem.
Mladý student drží nový klíč.
Starý turista v černé bundě tančí před domem.
Vysoký muž v červené čepici zpívá v parku.
Veselý muž v bílé bundě sedí na náměstí.
Dva mladí chlapci běží vedle kostela.
Veselá dívka sedí na ulici s černou kočkou.
Dvě dívky stojí pod stromem.
Starý dělník čeká blízko nádraží.
Mladá zpěvačka opravuje modré letadlo na hřišti.
Vysoké dítě v černém kabátu sedí v parku.
Tanečnice zpívá pod stromem.
Mladý turista maluje starý most na ulici.
Stará dívka hledá červený klobouk a tři hnědé kočky odpočívají blízko nádraží.
Vysoká tanečnice v bílém tričku sedí na náměstí.
Fotograf sedí za plotem s černým psem.
Starý fotograf nese malý batoh a dva černí králíci stojí před domem.
Starý student v zeleném tričku sedí na hřišti.
Student ve žlutém tričku odpočívá na náměstí.
Starý muž pozoruje nového psa pod stromem.
Mladá zpěvačka se prochází v parku s bílým králíkem.
Unavený fotograf v bílém klobouku stojí v parku.
Zpěvačka myje velké kolo a dva ptáci stojí blízko nádraží.
Starý student v modré košili sedí blízko nádraží.
Mladý dělník v bílé čepici odpočívá blízko nádraží.
Starý muž čeká před domem.
Unavená zpěvačka v černém klobouku se prochází před domem.
Vysoký lékař v zelené košili odpočívá vedle kostela.
Muž fotí velké auto, zatímco tři černí králíci stojí na náměstí.
Starý turista čeká blízko nádraží s králíkem.
Lékař hraje na kytaru a dva velcí králíci skáčou vedle kostela.
Unavený chlapec fotí velký kostel, zatímco dvě černé kočky spí na pláži.
Mladá zpěvačka ve žluté čepici stojí v pokoji.
Unavený student ve žlutém kabátu čeká na ulici.
Vysoký turista nese velkou kytaru a dvě malé kočky běží za plotem.
Pět unavených turistů si hraje na zahradě.
Veselá dívka pozoruje nového psa v pokoji.
Mladý dělník nese velký deštník na ulici.
Králík spí na pláži.
Dítě kupuje květinu a dvě malé kočky spí na náměstí.
Vysoká dívka skáče.
Vysoký dělník stojí na hřišti s velkou kočkou.
Unavený student fotí červenou květinu a dva malí králíci čekají před domem.
Stará tanečnice v bílém klobouku běží na ulici.
Starý fotograf nese novou lavičku na ulici.
Unavený lékař nese novou lavičku a pět malých ptáků běží vedle kostela.
Turista v bílé čepici odpočívá na ulici.
Unavený lékař opravuje staré kolo.
Černý pes stojí.
Malý králík si hraje u řeky.
Tři lékaři se procházejí.
Dvě černé kočky běží na pláži.
Mladý turista běží před domem s malou kočkou.
Lékař myje malé kolo, zatímco pět hnědých králíků spí pod stromem.
Unavená dívka myje nové okno a dvě kočky spí v lese.
Dívka odpočívá na ulici s bílou kočkou.
Veselý dělník v černém klobouku se prochází blízko nádraží.
Tři bílí ptáci skáčou na náměstí.
Muž běží na pláži s bílou kočkou.
Vysoká zpěvačka odpočívá na pláži s malým králíkem.
Mladý chlapec hledá deštník na ulici.
Zpěvačka drží malý klíč, zatímco dva malí ptáci spí před domem.
Chlapec v zelené košili se prochází na ulici.
Mladý student čte knihu, zatímco tři králíci běží na pláži.
Mladý dělník stojí na pláži s velkým králíkem.
Dívka sedí na pláži.
Mladý student maluje novou lavičku.
Fotograf fotí velký most a dvě bílé kočky běží v parku.
Lékař hledá krásný klíč na zahradě.
Mladá zpěvačka fotí starou loď, zatímco pět bílých ptáků sedí pod stromem.
Starý fotograf v červeném tričku stojí v parku.
Žena sedí před domem s černou kočkou.
Unavený lékař myje velké okno a tři hnědí psi sedí u řeky.
Dívka sedí v pokoji.
Muž opravuje staré auto a pět černých ptáků stojí na hřišti.
Pět černých králíků odpočívá za plotem.
Unavený dělník maluje dům v parku.
Mladý muž čeká před domem s malým psem.
Dívka si hraje na pláži s kočkou.
Dívka maluje nový obraz a tři bílí králíci skáčou u řeky.
Žena spí před domem.
Mladý dělník v bílé čepici tančí na náměstí.
Starý dělník v bílé bundě čeká v pokoji.
Mladý lékař fotí starý kostel na náměstí.
Pět koček stojí.
Starý turista hledá malý batoh, zatímco dva černí králíci skáčou v pokoji.
Mladý chlapec opravuje nové auto v lese.
Starý turista ve žluté košili běží pod stromem.
Turista myje psa.
Hnědý králík skáče na ulici.
Veselý chlapec kupuje malou mapu v parku.
Starý dělník čeká vedle kostela s kočkou.
Veselý fotograf v modrém tričku sedí za plotem.
Dva bílí ptáci skáčou před domem.
Zpěvačka běží v pokoji s hnědým králíkem.
Mladá zpěvačka stojí na pláži s hnědým králíkem.
Velký králík čeká v pokoji.
Mladý turista odpočívá na hřišti s králíkem.
Žena myje kolo, zatímco tři malí psi spí na ulici.
Vysoká dívka opravuje most a tři malí ptáci si hrají v parku.
Unavený chlapec myje velké auto, zatímco tři kočky čekají vedle kostela.
Dívka čeká v pokoji.
Starý dělník v modrém klobouku sedí na hřišti.
Unavený dělník v černém klobouku sedí blízko nádraží.
Lékař nese červený kufr, zatímco tři psi spí v lese.
Unavené dítě v červené košili sedí před domem.
Starý dělník v bílé bundě běží v parku.
Unavený chlapec hledá klíč.
Dvě zpěvačky tančí.
Stará dívka v modrém tričku čeká na ulici.
Vysoký lékař v modré bundě sedí před domem.
Mladá žena v bílé čepici sedí v parku.
Starý turista myje nové auto a tři psi skáčou pod stromem.
Vysoká tanečnice fotí velkou květinu na pláži.
Unavená žena fotí loď a tři králíci spí na ulici.
Zpěvačka v zelené bundě se prochází vedle kostela.
Tanečnice hraje na trubku.
Stará žena skáče v pokoji.
Mladý dělník maluje velké okno, zatímco pět koček spí v pokoji.
Stará dívka odpočívá blízko nádraží s malou kočkou.
Vysoké dítě nese krabici a tři kočky skáčou na zahradě.
Stará dívka hledá nový batoh, zatímco si dva malí psi hrají na ulici.
Mladý dělník odpočívá vedle kostela.
Stará zpěvačka si hraje v pokoji s malým psem.
Starý student čte novou knihu na ulici.
Dva lékaři sedí.
Dítě kupuje starou knihu.
Dva veselí fotografové skáčou.
Veselá žena fotí starý most.
Vysoký student fotí velký most a dva hnědí ptáci čekají v parku.
Dvě unavené tanečnice čekají na ulici.
Muž v modré čepici zpívá blízko nádraží.
Unavená žena hledá klobouk a dvě kočky odpočívají na náměstí.
Mladý muž čeká za plotem s černým psem.
Žena v červeném kabátu tančí vedle kostela.
Dva vysocí dělníci se procházejí v pokoji.
Mladá žena kupuje staré kolo a pět králíků sedí před domem.
Tři mladí turisté čekají v pokoji.
Starý student si hraje na zahradě s králíkem.
Starý fotograf čeká na ulici s černým králíkem.
Mladá zpěvačka myje malé okno, zatímco dvě malé kočky běží v pokoji.
Pět koček sedí před domem.
Pět bílých králíků čeká.
Mladá zpěvačka v červené košili čeká v parku.
Starý muž běží vedle kostela s bílým králíkem.
Veselé dítě kupuje nový obraz a dva bílí králíci běží pod stromem.
Dva studenti sedí v pokoji.
Žena drží deštník a pět velkých koček běží pod stromem.
Starý fotograf v modré čepici odpočívá pod stromem.
Starý student zpívá na hřišti.
Dítě fotí velký most, zatímco tři bílí ptáci čekají na náměstí.
Pět vysokých zpěvaček sedí.
Pták odpočívá.
Starý fotograf nese malou kytaru a tři bílí psi odpočívají na zahradě.
Stará dívka kupuje kolo a tři hnědí ptáci si hrají na ulici.
Žena čte velkou mapu v lese.
Dva lékaři si hrají na pláži.
Mladý chlapec hledá malý kufr a tři králíci si hrají na náměstí.
Žena spí v parku.
Mladý turista v modrém klobouku tančí na zahradě.
Dvě dívky odpočívají.
Lékař nese košík za plotem.
Mladá tanečnice fotí červené auto, zatímco dva hnědí ptáci odpočívají na hřišti.
Vysoká dívka čeká blízko nádraží s malým psem.
Veselý dělník stojí za plotem s velkým králíkem.
Vysoký chlapec hraje na kytaru a tři bílí psi si hrají v lese.
Unavený turista ve žluté bundě běží v pokoji.
Starý lékař nese kufr a dva hnědí ptáci si hrají za plotem.
Veselý lékař si hraje na hřišti s velkým psem.
Dva turisté si hrají vedle kostela.
Vysoký fotograf opravuje velké auto, zatímco dva černí ptáci odpočívají v pokoji.
Žena opravuje velkou loď.
Mladá dívka maluje krásnou lavičku a dva černí psi spí v lese.
Žena pozoruje kočku.
Mladý fotograf běží pod stromem s hnědým psem.
Dívka v modré bundě zpívá v lese.
Lékař stojí pod stromem s malou kočkou.
Dělník v modrém klobouku běží vedle kostela.
Muž kupuje květinu za plotem.
Mladý dělník v zelené čepici čeká pod stromem.
Starý student zpívá na ulici.
Starý student fotí červené auto a tři velcí králíci skáčou v pokoji.
Zpěvačka fotí loď, zatímco tři králíci spí u řeky.
Muž kupuje květinu v pokoji.
Mladá dívka si hraje.
Stará dívka odpočívá blízko nádraží s hnědou kočkou.
Veselá dívka nese velkou lavičku za plotem.
Fotograf ve žluté bundě běží v pokoji.
Starý lékař ve žlutém klobouku stojí na zahradě.
Starý dělník opravuje modrý most pod stromem.
Dívka v zeleném kabátu se prochází na pláži.
Žena v zelené košili stojí na pláži.
Tanečnice fotí kočku v pokoji.
Tři staří dělníci skáčou za plotem.
Mladý fotograf opravuje velké kolo na zahradě.
Starý dělník běží pod stromem s velkým psem.
Bílá kočka stojí v pokoji.
Starý muž kupuje velké kolo, zatímco si dva velcí psi hrají na ulici.
Stará žena ve žluté bundě zpívá na náměstí.
Chlapec nese malou krabici na hřišti.
Unavená dívka ve žluté bundě tančí u řeky.
Dítě odpočívá na pláži s kočkou.
Mladý turista myje malou lavičku.
Lékař hledá nový klobouk u řeky.
Lékař opravuje novou lavičku a pět malých psů si hraje před domem.
Veselá žena běží na zahradě s malou kočkou.
Unavená zpěvačka se prochází za plotem s bílým psem.
Zpěvačka běží v pokoji s bílým psem.
Starý dělník drží červený košík na hřišti.
Unavená žena kupuje batoh na zahradě.
Lékař v bílém klobouku se prochází na pláži.
Muž se prochází u řeky s velkým králíkem.
Mladý chlapec pozoruje červené letadlo, zatímco pět černých ptáků čeká před domem.
Mladý chlapec v modré košili stojí na ulici.
Starý fotograf drží starou květinu před domem.
Veselý lékař maluje starý most, zatímco dva velcí psi stojí na pláži.
Stará dívka čeká na pláži s hnědým králíkem.
Starý muž skáče u řeky.
Chlapec v zeleném klobouku stojí blízko nádraží.
Stará žena myje červené auto a tři černí ptáci spí pod stromem.
Žena odpočívá pod stromem s velkým psem.
Chlapec si hraje pod stromem.
Student čeká za plotem.
Starý turista čeká v parku s kočkou.
Veselá dívka se prochází vedle kostela.
Pes si hraje v lese.
Unavená žena hledá starý klíč na pláži.
Vysoká dívka v bílé bundě se prochází na ulici.
Dívka v modrém tričku tančí za plotem.
Starý lékař v zeleném klobouku čeká na pláži.
Dva ptáci čekají v lese.
Dívka v červené košili odpočívá v parku.
Stará žena fotí červený kostel, zatímco pět malých ptáků spí za plotem.
Dítě drží mapu, zatímco dvě kočky čekají blízko nádraží.
Vysoké dítě hraje na kytaru, zatímco pět bílých psů sedí na náměstí.
Vysoký chlapec fotí modré auto před domem.
Vysoký fotograf nese obraz za plotem.
Veselý dělník drží velkou kytaru a tři králíci spí před domem.
Mladý dělník čte starou mapu, zatímco si pět velkých králíků hraje na ulici.
Vysoká dívka opravuje starý deštník, zatímco tři bílí ptáci spí na zahradě.
Vysoké dítě sedí vedle kostela se psem.
Muž čte malou knihu blízko nádraží.
Velký pes odpočívá.
Muž sedí blízko nádraží s černou kočkou.
Dívka odpočívá u řeky.
Dva mladí dělníci se procházejí na hřišti.
Dělník sedí blízko nádraží s černým psem.
Kočka odpočívá v parku.
Veselý turista si hraje v lese.
Veselá dívka sedí na náměstí s malou kočkou.
Unavená žena myje krásnou loď na ulici.
Dva unavení studenti sedí.
Stará tanečnice opravuje modré kolo a tři černí králíci stojí za plotem.
Lékař v černé bundě běží za plotem.
Pět starých studentů sedí.
Vysoký turista se prochází pod stromem s malou kočkou.
Starý lékař v černé čepici čeká blízko nádraží.
Tanečnice maluje novou loď pod stromem.
Mladý student v červeném klobouku tančí pod stromem.
Student běží na ulici s hnědým psem.
Dva malí psi si hrají.
Mladá zpěvačka odpočívá na pláži s bílou kočkou.
Vysoká zpěvačka myje nové kolo, zatímco si dva malí králíci hrají v pokoji.
Pět mužů stojí za plotem.
Mladý lékař čeká u řeky s bílým králíkem.
Stará žena stojí před domem s černým králíkem.
Veselý turista nese malý deštník, zatímco tři bílé kočky stojí v parku.
Dělník sedí pod stromem s velkým psem.
Starý chlapec hledá novou mapu a dva hnědí psi odpočívají na ulici.
Dívka čte malou mapu před domem.
Mladý turista kupuje malé kolo, zatímco dva velcí psi skáčou vedle kostela.
Mladý fotograf hledá modrou mapu v parku.
Unavená žena opravuje staré letadlo, zatímco tři bílí ptáci skáčou v parku.
Veselá dívka drží klobouk a pět černých koček spí blízko nádraží.
Lékař fotí velkou květinu na náměstí.
Mladý muž se prochází za plotem s bílým králíkem.
Unavená dívka odpočívá v pokoji s malým psem.
Veselý dělník kupuje malý deštník a pět malých psů si hraje na zahradě.
Dva mladí muži si hrají u řeky.
Žena v černém tričku odpočívá vedle kostela.
Mladý student si hraje na náměstí se psem.
Fotograf kupuje knihu a dvě malé kočky spí v lese.
Student si hraje blízko nádraží.
Mladá zpěvačka nese velký obraz.
Veselý dělník odpočívá na náměstí s černým králíkem.
Vysoká dívka sedí pod stromem s černým králíkem.
Dělník čeká v lese s černým králíkem.
Žena fotí letadlo, zatímco pět bílých psů stojí před domem.
Muž odpočívá v pokoji.
Starý student čeká za plotem s malým psem.
Dvě dívky běží před domem.
Veselý lékař běží na hřišti s černým psem.
Mladý lékař hledá starý klobouk a tři černí králíci stojí v lese.
Zpěvačka v zelené čepici zpívá za plotem.
Dva veselí fotografové se procházejí na pláži.
Vysoká žena maluje malou lavičku blízko nádraží.
Starý lékař čeká v lese se psem.
Mladý fotograf čeká před domem se psem.
Vysoký turista fotí velký most vedle kostela.
Veselá dívka drží starý míč v parku.
Mladý muž v modrém kabátu tančí za plotem.
Dva staří studenti skáčou na pláži.
Veselý dělník spí pod stromem.
Unavená dívka běží na ulici s bílým králíkem.
Unavená tanečnice nese novou lavičku v lese.
Unavená zpěvačka kupuje velké kolo u řeky.
Unavená dívka v černé košili sedí na zahradě.
Pět veselých tanečnic skáče.
Starý muž maluje nový kostel a pět černých králíků odpočívá u řeky.
Starý fotograf nese starý obraz a dva černí králíci si hrají blízko nádraží.
Veselé dítě v bílé košili zpívá v parku.
Veselý turista v červené bundě odpočívá na pláži.
Vysoká tanečnice fotí starého ptáka na ulici.
Stará dívka nese červený košík a dva velcí ptáci skáčou pod stromem.
Zpěvačka ve žlutém klobouku tančí v parku.
Dítě odpočívá na pláži s bílým psem.
Unavený turista v černé bundě stojí na hřišti.
Stará žena opravuje malé letadlo.
Hnědá kočka stojí v lese.
Mladý chlapec v bílém kabátu se prochází na náměstí.
Tři veselé tanečnice tančí.
Dívka v černé bundě se prochází na náměstí.
Zpěvačka hledá klobouk v pokoji.
Starý chlapec v bílé košili čeká vedle kostela.
Vysoké dítě nese starou krabici.
Mladá dívka pozoruje modrého králíka na zahradě.
Vysoký dělník si hraje na hřišti s bílým psem.
Dělník v bílé bundě odpočívá v pokoji.
Chlapec v bílém tričku se prochází v pokoji.
Student maluje modrou lavičku vedle kostela.
Veselý lékař v modrém tričku stojí před domem.
Tanečnice v bílém tričku stojí v parku.
Starý dělník maluje modrý most a pět velkých králíků skáče u řeky.
Starý student fotí krásné auto a pět velkých psů stojí v pokoji.
Starý muž opravuje starou lavičku za plotem.
Žena ve žluté bundě se prochází na náměstí.
Žena odpočívá pod stromem s malou kočkou.
Muž odpočívá před domem s černým králíkem.
Unavená tanečnice v modrém klobouku čeká na hřišti.
Malý pták sedí.
Student stojí blízko nádraží s malým králíkem.
Pět turistů odpočívá.
Vysoký student v černé bundě tančí v lese.
Muž maluje okno a tři ptáci odpočívají blízko nádraží.
Stará tanečnice si hraje v pokoji s bílou kočkou.
Dívka nese nový obraz.
Pes běží v pokoji.
Dvě bílé kočky běží vedle kostela.
Žena stojí před domem s hnědým králíkem.
Stará žena opravuje velkou lavičku, zatímco pět černých ptáků skáče na zahradě.
Chlapec opravuje malý deštník na pláži.
Unavený muž pozoruje psa na náměstí.
Lékař ve žluté čepici běží v lese.
Mladý fotograf běží na zahradě s velkým psem.
Mladá tanečnice čeká na náměstí s malou kočkou.
Student maluje staré okno, zatímco tři malí ptáci běží vedle kostela.
Vysoká tanečnice fotí novou květinu a tři psi si hrají v parku.
Vysoká dívka fotí nový dům na pláži.
Starý muž v červené čepici čeká vedle kostela.
Unavená tanečnice tančí pod stromem.
Dvě mladé tanečnice běží na zahradě.
Lékař kupuje klobouk pod stromem.
Veselý student v bílé bundě tančí v lese.
Veselá zpěvačka hraje na kytaru a pět ptáků si hraje blízko nádraží.
Starý dělník fotí velkou květinu, zatímco dva velcí králíci čekají v lese.
Muž hledá velký klobouk, zatímco tři velcí ptáci sedí pod stromem.
Lékař hledá starý kufr na náměstí.
Starý dělník běží v lese s černou kočkou.
Mladý turista nese lavičku na ulici.
Veselá zpěvačka se prochází blízko nádraží s bílým psem.
Mladý fotograf fotí květinu a tři malí ptáci spí pod stromem.
Dva velcí ptáci sedí v pokoji.
Unavená dívka si hraje na ulici.
Chlapec v bílém tričku sedí pod stromem.
Veselý chlapec ve žlutém klobouku stojí u řeky.
Starý turista sedí vedle kostela s černou kočkou.
Hnědý pes čeká.
Starý turista v bílé košili se prochází v parku.
Unavená žena se prochází za plotem s velkým králíkem.
Mladá dívka v červené bundě odpočívá na náměstí.
Chlapec nese novou krabici, zatímco dva velcí králíci stojí na náměstí.
Mladý student opravuje nové letadlo, zatímco tři králíci stojí v parku.
Dva lékaři tančí na náměstí.
Mladý dělník sedí v lese s kočkou.
Unavená dívka čeká vedle kostela s kočkou.
Vysoká tanečnice hledá psa pod stromem.
Starý chlapec ve žluté košili zpívá v parku.
Mladý turista fotí starý most, zatímco pět koček spí na náměstí.
Stará dívka opravuje krásný deštník a pět černých králíků si hraje na náměstí.
Pět černých koček spí v lese.
Zpěvačka odpočívá na ulici s bílým psem.
Mladá žena se prochází u řeky s králíkem.
Unavený chlapec v červeném klobouku tančí v pokoji.
Starý student ve žluté košili běží v lese.
Pět psů běží na zahradě.
Lékař v bílé košili běží před domem.
Starý student myje velké okno na zahradě.
Tanečnice drží modrou kytaru, zatímco pět černých králíků skáče vedle kostela.
Starý fotograf drží malý košík a dvě kočky spí na zahradě.
Stará žena nese lavičku a tři černí ptáci čekají na náměstí.
Velký pták si hraje na náměstí.
Starý dělník fotí letadlo.
Vysoký student fotí nový kostel pod stromem.
Mladý student se prochází blízko nádraží s bílým králíkem.
Veselý dělník fotí starého ptáka.
Mladý lékař ve žlutém klobouku tančí na ulici.
Mladá zpěvačka ve žlutém tričku čeká na ulici.
Starý chlapec v bílé bundě tančí blízko nádraží.
Vysoký turista fotí květinu.
Starý turista maluje most na pláži.
Chlapec hledá krásný míč, zatímco dva bílí psi stojí vedle kostela.
Stará zpěvačka myje červené auto blízko nádraží.
Stará žena opravuje most na pláži.
Mladý turista myje lavičku, zatímco si tři hnědí králíci hrají na náměstí.
Mladý student stojí u řeky s bílou kočkou.
Veselé dítě opravuje velký deštník na hřišti.
Unavený student myje červené okno v lese.
Mladý fotograf nese obraz.
Mladá tanečnice sedí za plotem s černou kočkou.
Vysoký fotograf čeká za plotem s velkou kočkou.
Bílý pták čeká pod stromem.
Unavený chlapec se prochází před domem s malým králíkem.
Vysoká dívka maluje novou loď blízko nádraží.
Starý fotograf odpočívá za plotem s velkým králíkem.
Mladá žena čte velký dopis.
Černý králík stojí blízko nádraží.
Vysoká tanečnice stojí na ulici s hnědým psem.
Dva muži tančí.
Dělník opravuje krásné letadlo na hřišti.
Zpěvačka opravuje velké letadlo na náměstí.
Unavený chlapec se prochází vedle kostela s králíkem.
Unavená tanečnice hledá batoh a tři hnědí králíci spí za plotem.
Dvě malé kočky čekají pod stromem.
Unavený fotograf stojí na ulici s velkou kočkou.
Muž sedí na pláži s velkým psem.
Unavený chlapec v červené bundě zpívá u řeky.
Vysoká tanečnice drží košík a pět bílých koček čeká u řeky.
Vysoká dívka v zelené bundě stojí v lese.
Žena kupuje velký batoh a tři malí ptáci si hrají na hřišti.
Velká kočka stojí v lese.
Dva velcí ptáci čekají na zahradě.
Veselý lékař odpočívá na zahradě s kočkou.
Unavený muž fotí modrého ptáka u řeky.
Dítě myje malé okno a dva velcí králíci skáčou u řeky.
Tři malí psi sedí u řeky.
Veselý dělník myje velké okno.
Veselá zpěvačka fotí modrý most blízko nádraží.
Dívka v černém tričku se prochází v lese.
Mladý dělník fotí modrou loď, zatímco dva hnědí psi skáčou na náměstí.
Dívka ve žlutém tričku sedí za plotem.
Starý fotograf nese starou kytaru za plotem.
Mladý chlapec si hraje v parku s bílým králíkem.
Vysoký lékař opravuje nový most, zatímco si dva bílí ptáci hrají před domem.
Unavený turista v černé čepici stojí na hřišti.
Zpěvačka myje novou loď, zatímco dva velcí ptáci skáčou v parku.
Mladý lékař ve žlutém tričku odpočívá v pokoji.
Starý fotograf ve žlutém klobouku stojí za plotem.
Stará žena v červeném klobouku běží na hřišti.
Bílá kočka skáče v lese.
Lékař myje staré kolo v parku.
Zpěvačka drží modrou kytaru a tři hnědí králíci čekají na zahradě.
Dívka čte nový dopis, zatímco tři bílé kočky odpočívají blízko nádraží.
Mladá zpěvačka v modré košili běží na hřišti.
Fotograf v zelené košili odpočívá na zahradě.
Dívka tančí na pláži.
Dívka nese starý obraz, zatímco pět malých králíků sedí v parku.
Pět černých králíků si hraje blízko nádraží.
Dva mladí lékaři odpočívají za plotem.
Kočka spí před domem.
Mladý dělník skáče.
Starý muž drží modrou knihu, zatímco dva velcí ptáci sedí na pláži.
Unavený dělník ve žlutém kabátu stojí za plotem.
Mladý student si hraje blízko nádraží s velkým králíkem.
Veselý lékař stojí před domem s malou kočkou.
Unavený muž odpočívá v pokoji s králíkem.
Starý student nese modrý obraz, zatímco pět bílých koček odpočívá za plotem.
Unavený dělník sedí vedle kostela s bílým králíkem.
Dvě děti se procházejí na zahradě.
Mladá zpěvačka fotí malé auto a pět bílých ptáků spí před domem.
Dělník hledá starou mapu, zatímco pět hnědých králíků běží v parku.
Unavená zpěvačka fotí starou květinu, zatímco pět malých koček běží v lese.
Lékař si hraje v parku s černou kočkou.
Mladý lékař stojí na ulici s kočkou.
Zpěvačka nese krabici a dva hnědí psi sedí na pláži.
Mladá zpěvačka pozoruje starý obraz, zatímco pět bílých ptáků stojí v lese.
Dítě se prochází na náměstí.
Vysoká tanečnice pozoruje staré letadlo, zatímco tři malí ptáci spí v pokoji.
Dvě hnědé kočky stojí.
Starý chlapec hledá mapu, zatímco si dvě hnědé kočky hrají v parku.
Mladý fotograf fotí nový kostel, zatímco si pět velkých králíků hraje na náměstí.
Veselý turista ve žluté bundě stojí pod stromem.
Pět mladých dělníků tančí na náměstí.
Veselý muž kupuje malý deštník, zatímco tři černé kočky spí před domem.
Pět malých koček sedí.
Unavená dívka stojí na pláži s velkým králíkem.
Lékař opravuje nové auto na pláži.
Tanečnice maluje most a tři malé kočky čekají vedle kostela.
Unavená dívka si hraje v pokoji s malým psem.
Dva černí psi stojí blízko nádraží.
Dvě dívky se procházejí v pokoji.
Dělník v bílém kabátu sedí vedle kostela.
Turista běží u řeky s hnědým králíkem.
Králík si hraje v lese.
Mladý student odpočívá na ulici s hnědým psem.
Zpěvačka maluje velkou loď.
Mladý lékař pozoruje velké letadlo.
Dělník pozoruje obraz, zatímco tři králíci spí v pokoji.
Tři králíci odpočívají na hřišti.
Vysoký fotograf kupuje malý obraz, zatímco tři černí psi sedí za plotem.
Mladý dělník odpočívá pod stromem s bílou kočkou.
Mladá tanečnice ve žlutém kabátu čeká za plotem.
Pět starých chlapců tančí pod stromem.
Vysoký chlapec v modrém kabátu běží před domem.
Vysoká tanečnice ve žluté čepici běží na náměstí.
Dělník se prochází vedle kostela s malým králíkem.
Dívka fotí nový most v pokoji.
Stará zpěvačka spí na hřišti.
Starý muž maluje okno vedle kostela.
Stará zpěvačka ve žlutém klobouku tančí na pláži.
Tři mladí lékaři si hrají.
Mladá zpěvačka čeká u řeky s velkou kočkou.
Dva muži čekají před domem.
Muž v zeleném klobouku běží pod stromem.
Veselá tanečnice hledá starý klobouk, zatímco tři bílé kočky sedí na pláži.
Starý turista v zeleném kabátu tančí v pokoji.
Dítě v bílém klobouku odpočívá na ulici.
Dvě hnědé kočky sedí v lese.
Mladý turista fotí starý dům a pět psů odpočívá pod stromem.
Mladá zpěvačka maluje lavičku.
Unavený fotograf hledá velký batoh, zatímco si tři velké kočky hrají vedle kostela.
Zpěvačka nese starý kufr, zatímco tři velcí ptáci skáčou v parku.
Starý student stojí na zahradě s černým králíkem.
Unavený student opravuje most pod stromem.
Tanečnice kupuje klobouk a tři černé kočky spí u řeky.
Stará žena maluje malý obraz za plotem.
Mladá tanečnice v červené košili se prochází na náměstí.
Tanečnice ve žluté košili tančí u řeky.
Vysoký lékař kupuje květinu v lese.
Vysoká tanečnice v bílé košili čeká na ulici.
Dvě staré tanečnice běží před domem.
Vysoký turista čte malý dopis, zatímco tři černí králíci sedí vedle kostela.
Lékař drží malou mapu v parku.
Starý turista fotí červený kostel za plotem.
Stará dívka drží košík, zatímco dva malí ptáci čekají v parku.
Bílý králík skáče v parku.
Dvě veselé tanečnice odpočívají v parku.
Mladá tanečnice stojí na ulici s králíkem.
Žena v bílém klobouku čeká v pokoji.
Mladá zpěvačka v modré čepici tančí před domem.
Mladý muž nese krásnou kytaru před domem.
Mladá dívka myje krásné kolo, zatímco pět malých koček skáče na zahradě.
Mladý turista myje kolo a pět bílých psů sedí v pokoji.
Starý turista v zelené bundě stojí na pláži.
Dělník běží v pokoji se psem.
Veselý student sedí na pláži s malým králíkem.
Mladý fotograf drží starý klíč, zatímco pět černých psů běží na hřišti.
Vysoká tanečnice sedí před domem se psem.
Starý turista maluje dům na hřišti.
Mladý lékař drží knihu na ulici.
Mladá zpěvačka opravuje starý plot a dvě bílé kočky sedí v parku.
Mladý student stojí v pokoji s velkou kočkou.
Pět černých králíků odpočívá blízko nádraží.
Mladý muž odpočívá v lese s černým králíkem.
Turista kupuje starý klobouk před domem.
Pět starých žen odpočívá na náměstí.
Veselý fotograf v zeleném tričku stojí v parku.
Vysoký muž myje staré okno pod stromem.
Chlapec ve žluté košili tančí na zahradě.
Vysoký muž maluje červené okno, zatímco pět černých koček spí na hřišti.
Mladá zpěvačka kupuje mapu na náměstí.
Veselý lékař tančí na zahradě.
Dítě drží krásnou kytaru a dva králíci skáčou u řeky.
Unavená žena skáče na ulici.
Vysoký muž myje auto a dvě malé kočky sedí blízko nádraží.
Dva vysocí studenti tančí.
Starý student sedí na ulici.
Pět ptáků sedí u řeky.
Tři malé kočky čekají před domem.
Unavený muž drží klíč vedle kostela.
Dva staří turisté si hrají za plotem.
Muž v černé košili tančí na pláži.
Mladý muž nese červený košík v parku.
Fotograf běží pod stromem s černým psem.
Starý turista se prochází v lese.
Mladý muž odpočívá na ulici s bílým králíkem.
Student drží kytaru a dva psi odpočívají na náměstí.
Pět unavených dělníků běží na náměstí.
Tři staří chlapci odpočívají na pláži.
Starý turista drží velkou mapu, zatímco dva bílí psi čekají na ulici.
Dva mladí dělníci stojí na pláži.
Mladý fotograf nese červený batoh pod stromem.
Stará žena se prochází na ulici s bílým králíkem.
Veselá tanečnice kupuje starý deštník, zatímco tři malí králíci sedí blízko nádraží.
Starý fotograf fotí most na náměstí.
Mladý dělník maluje dům před domem.
Unavená zpěvačka nese kytaru, zatímco pět velkých ptáků skáče na ulici.
Dívka sedí vedle kostela s bílou kočkou.
Tři psi čekají na náměstí.
Bílý králík skáče blízko nádraží.
Zpěvačka se prochází u řeky s velkým králíkem.
Student kupuje nový obraz a tři černí psi spí za plotem.
Vysoká tanečnice myje malé kolo a pět ptáků sedí za plotem.
Student fotí modrý kostel a pět velkých ptáků skáče pod stromem.
Vysoký dělník kupuje červený batoh na pláži.
Starý lékař čeká v pokoji s bílým psem.
Vysoké dítě fotí malou květinu a pět hnědých koček čeká v lese.
Mladý muž hledá starý míč, zatímco tři bílí ptáci čekají vedle kostela.
Starý fotograf odpočívá pod stromem s velkým králíkem.
Starý student nese novou lavičku, zatímco si dva velcí ptáci hrají v pokoji.
Turista sedí na hřišti s malou kočkou.
Mladý fotograf fotí velkou loď, zatímco pět ptáků odpočívá v lese.
Dva králíci běží v parku.
Pět starých dělníků běží.
Mladý student běží za plotem s černým králíkem.
Tři hnědé kočky sedí v lese.
Dítě čte krásnou knihu a dvě hnědé kočky si hrají na ulici.
Dva staří muži sedí v parku.
Žena čte krásný dopis, zatímco dva bílí králíci spí na hřišti.
Veselé dítě si hraje na hřišti s velkým psem.
Mladý muž běží v parku s kočkou.
Starý dělník myje malou lavičku a tři kočky stojí u řeky.
Lékař v modré čepici stojí před domem.
Dvě mladé dívky odpočívají na hřišti.
Tanečnice v bílém tričku tančí pod stromem.
Starý dělník fotí nový most a dva ptáci skáčou v parku.
Vysoký muž běží na hřišti s černou kočkou.
Student odpočívá pod stromem s velkým králíkem.
Starý dělník si hraje v parku.
Mladý lékař maluje staré okno na hřišti.
Unavený muž pozoruje staré letadlo.
Tři hnědí psi sedí na zahradě.
Mladý muž fotí modré auto za plotem.
Dva mladí fotografové skáčou před domem.
Muž hledá starý batoh a pět hnědých králíků si hraje na náměstí.
Stará zpěvačka v bílé čepici tančí v pokoji.
Mladý muž kupuje deštník na náměstí.
Bílý králík spí na zahradě.
Lékař drží modrou květinu a dva králíci spí za plotem.
Veselá dívka čeká v lese s hnědým králíkem.
Unavený turista maluje modrý dům.
Unavený lékař stojí v pokoji.
Mladá dívka si hraje v pokoji s kočkou.
Unavená zpěvačka čte červenou mapu, zatímco tři kočky stojí u řeky.
Tři kočky stojí v lese.
Tři chlapci si hrají pod stromem.
Dělník si hraje.
Tři staré zpěvačky spí na hřišti.
Stará tanečnice nese krabici a pět hnědých ptáků si hraje za plotem.
Mladá zpěvačka drží květinu, zatímco dva bílí ptáci sedí před domem.
Fotograf ve žlutém tričku sedí za plotem.
Muž běží v lese.
Dívka fotí starou květinu a pět bílých koček stojí před domem.
Zpěvačka čeká pod stromem se psem.
Dítě fotí kočku v lese.
Stará zpěvačka odpočívá vedle kostela s bílým králíkem.
Mladá dívka drží klíč, zatímco tři černé kočky odpočívají na pláži.
Zpěvačka spí na zahradě.
Stará zpěvačka stojí před domem s králíkem.
Unavené dítě v zeleném kabátu zpívá v pokoji.
Dítě kupuje obraz a dva bílí psi odpočívají na náměstí.
Hnědý pták odpočívá.
Chlapec opravuje starý plot na hřišti.
Unavený dělník hraje na klavír a tři černí králíci sedí za plotem.
Veselý chlapec opravuje červené letadlo v lese.
Fotograf v červeném klobouku zpívá na pláži.
Unavená tanečnice běží blízko nádraží s velkým králíkem.
Mladý fotograf v červeném tričku se prochází u řeky.
Dva hnědí psi běží v parku.
Mladý student stojí blízko nádraží s černým králíkem.
Vysoký lékař ve žluté čepici sedí v pokoji.
Lékař drží knihu.
Dívka hledá klobouk a pět hnědých králíků odpočívá na zahradě.
Pět starých dívek stojí na ulici.
Starý turista si hraje blízko nádraží s malým králíkem.
Unavená dívka fotí loď.
Stará zpěvačka opravuje loď vedle kostela.
Vysoký student stojí na ulici s velkou kočkou.
Mladý chlapec stojí na náměstí se psem.
Unavený turista nese červený košík na náměstí.
Muž v bílém kabátu běží za plotem.
Stará dívka stojí na zahradě s hnědým psem.
Unavená zpěvačka v modré košili tančí blízko nádraží.
Fotograf v zeleném kabátu zpívá před domem.
Unavená žena odpočívá na pláži s velkým psem.
Mladý lékař pozoruje červený obraz, zatímco dva bílí psi běží v lese.
Mladá zpěvačka opravuje modrý deštník vedle kostela.
Student se prochází před domem s černým psem.
Unavená dívka běží na náměstí s hnědým psem.
Starý lékař drží nový klíč a tři hnědé kočky skáčou v pokoji.
Zpěvačka v bílém klobouku sedí v lese.
Starý student stojí u řeky s hnědou kočkou.
Tři velcí psi si hrají.
Žena nese lavičku a pět velkých ptáků si hraje vedle kostela.
Vysoký chlapec v modré košili běží v parku.
Tři králíci spí.
Starý muž maluje starý plot, zatímco dva bílí psi spí na ulici.
Veselý dělník nese košík vedle kostela.
Mladý student v bílém kabátu odpočívá vedle kostela.
Veselý turista nese modrý batoh pod stromem.
Žena sedí na pláži s velkým králíkem.
Dvě zpěvačky sedí na pláži.
Turista ve žluté čepici sedí u řeky.
Hnědý králík sedí za plotem.
Stará dívka v červené čepici stojí u řeky.
Mladý turista opravuje velký deštník pod stromem.
Unavené dítě nese kufr a pět černých ptáků skáče na náměstí.
Veselé dítě sedí na ulici s hnědým králíkem.
Vysoký student maluje modrý kostel v lese.
Lékař běží za plotem s černým králíkem.
Unavený turista hledá velký klíč u řeky.
Dva unavení muži sedí v parku.
Fotograf opravuje malé letadlo a pět hnědých koček si hraje v parku.
Dva vysocí fotografové tančí na zahradě.
Unavený dělník drží novou kytaru, zatímco tři ptáci odpočívají v pokoji.
Tři fotografové se procházejí na pláži.
Tanečnice v černé čepici zpívá pod stromem.
Veselá tanečnice si hraje za plotem s velkou kočkou.
Fotograf čeká za plotem.
Vysoké dítě opravuje novou loď za plotem.
Student kupuje nový batoh, zatímco dva hnědí králíci běží za plotem.
Vysoký fotograf myje lavičku vedle kostela.
Mladý muž čeká na zahradě se psem.
Dvě hnědé kočky skáčou.
Veselá tanečnice v zelené košili čeká v pokoji.
Dvě staré zpěvačky zpívají blízko nádraží.
Vysoký student stojí v lese s hnědým psem.
Starý fotograf v bílé čepici sedí na zahradě.
Tanečnice opravuje loď, zatímco si tři malí ptáci hrají na hřišti.
Mladý fotograf fotí modrý dům, zatímco si dva bílí králíci hrají v parku.
Dítě čte dopis a pět hnědých králíků spí na zahradě.
Starý muž ve žluté bundě běží v parku.
Starý fotograf si hraje blízko nádraží s hnědým králíkem.
Unavená žena si hraje na ulici s velkým psem.
Mladá žena opravuje letadlo, zatímco dva černí ptáci spí za plotem.
Žena v červené bundě stojí v parku.
Dva černí psi čekají na ulici.
Vysoká dívka opravuje lavičku a pět koček běží v pokoji.
Dvě veselé tanečnice spí v lese.
Mladý muž tančí v parku.
Dělník v černém kabátu se prochází pod stromem.
Fotograf myje velké kolo vedle kostela.
Žena se prochází.
Mladá dívka si hraje pod stromem s bílou kočkou.
Student čeká v pokoji s kočkou.
Unavený chlapec drží kytaru na zahradě.
Vysoké dítě v červeném kabátu čeká vedle kostela.
Mladý dělník maluje most v parku.
Mladá tanečnice drží košík, zatímco tři bílí ptáci běží na hřišti.
Vysoký muž sedí před domem s malým psem.
Starý turista sedí vedle kostela s malým králíkem.
Lékař maluje krásnou loď, zatímco pět bílých koček spí u řeky.
Mladý lékař v černém tričku sedí vedle kostela.
Student v červeném klobouku stojí u řeky.
Chlapec čte velkou knihu na pláži.
Pták stojí na ulici.
Starý dělník sedí na náměstí s velkým králíkem.
Veselá zpěvačka v bílém klobouku sedí před domem.
Tanečnice kupuje velký deštník a dva velcí psi si hrají před domem.
Mladá zpěvačka tančí pod stromem.
Chlapec odpočívá na zahradě.
Dva vysocí fotografové si hrají před domem.
Veselý chlapec myje auto, zatímco dva malí ptáci spí na náměstí.
Vysoký student sedí vedle kostela s černým psem.
Unavený dělník v zeleném klobouku běží v lese.
Žena hledá velký klobouk v parku.
Lékař fotí dům a pět hnědých koček si hraje na hřišti.
Mladá tanečnice se prochází před domem s velkou kočkou.
Unavený turista fotí starý most, zatímco tři bílí králíci spí v pokoji.
Tři turisté čekají za plotem.
Starý dělník nese kytaru blízko nádraží.
Starý fotograf v červené košili zpívá na ulici.
Fotograf se prochází vedle kostela s hnědou kočkou.
Tři děti čekají.
Mladý dělník ve žlutém kabátu odpočívá v parku.
Vysoký turista fotí velkého ptáka na zahradě.
Mladý student myje velké kolo, zatímco tři hnědí králíci běží pod stromem.
Vysoký student sedí před domem.
Dívka běží blízko nádraží.
Zpěvačka v zelené bundě se prochází v parku.
Pět dívek spí v pokoji.
Mladý muž nese malou krabici na hřišti.
Lékař čeká.
Mladá zpěvačka hledá malý kufr, zatímco tři hnědí králíci skáčou na náměstí.
Muž drží košík a dvě velké kočky skáčou za plotem.
Starý lékař pozoruje červenou loď, zatímco pět malých ptáků běží v pokoji.
Veselá žena běží před domem.
Muž opravuje modrý most.
Starý student kupuje krásný obraz na náměstí.
Veselá dívka fotí malé auto na hřišti.
Starý fotograf nese lavičku, zatímco pět psů sedí pod stromem.
Tanečnice čeká na ulici s bílou kočkou.
Pět lékařů spí u řeky.
Pták odpočívá na ulici.
Mladý dělník se prochází v lese s bílým králíkem.
Dívka v modrém klobouku se prochází v parku.
Student ve žlutém kabátu tančí na pláži.
Vysoká dívka v černé bundě se prochází na pláži.
Mladý fotograf kupuje velké kolo, zatímco pět velkých králíků spí vedle kostela.
Dívka pozoruje malou loď a tři velcí ptáci si hrají v parku.
Mladý student v černém kabátu sedí v lese.
Stará zpěvačka hledá mapu a dva velcí psi skáčou na hřišti.
Králík si hraje v parku.
Student fotí krásnou květinu a pět hnědých ptáků skáče v pokoji.
Fotograf čeká za plotem s velkým psem.
Starý dělník ve žluté košili se prochází za plotem.
Muž skáče na zahradě.
Unavený chlapec běží na pláži s hnědou kočkou.
Dítě čeká za plotem s černou kočkou.
Žena hledá malý klobouk, zatímco dva psi odpočívají v lese.
Tři studenti běží u řeky.
Chlapec fotí loď před domem.
Veselý fotograf maluje dům a pět černých koček běží na ulici.
Unavený dělník v zeleném tričku odpočívá v lese.
Starý fotograf čeká blízko nádraží s bílým psem.
Mladá tanečnice v černém klobouku běží na ulici.
Unavený fotograf opravuje nový most v pokoji.
Turista odpočívá na hřišti.
Dělník stojí blízko nádraží s malým psem.
Unavená tanečnice kupuje malý klobouk na náměstí.
Mladý lékař pozoruje červené letadlo.
Veselý dělník maluje plot za plotem.
Vysoký dělník hledá velkou kočku na hřišti.
Dvě černé kočky spí u řeky.
Unavená tanečnice v zeleném tričku čeká pod stromem.
Králík stojí blízko nádraží.
Student opravuje modrý deštník a dva černí ptáci běží v pokoji.
Unavená dívka v červeném klobouku čeká na pláži.
Dívka kupuje červené kolo a dva bílí psi čekají blízko nádraží.
Lékař fotí kostel na pláži.
Starý turista si hraje v pokoji s bílým králíkem.
Mladá žena pozoruje malý obraz na zahradě.
Turista ve žlutém klobouku sedí na náměstí.
Mladý student hledá novou mapu a pět velkých koček sedí na zahradě.
Starý student maluje novou loď na náměstí.
Mladá zpěvačka stojí za plotem.
Unavená žena běží pod stromem s černým psem.
Dělník drží červený košík a dva bílí ptáci sedí u řeky.
Dívka v černé košili sedí blízko nádraží.
Zpěvačka kupuje nový klobouk, zatímco pět králíků stojí pod stromem.
Veselá dívka odpočívá za plotem.
Mladý fotograf spí na hřišti.
Tři staří lékaři stojí na ulici.
Mladá tanečnice v modrém kabátu běží na zahradě.
Veselá tanečnice v červeném tričku tančí za plotem.
Starý muž stojí před domem s velkým králíkem.
Mladá tanečnice se prochází v pokoji s hnědou kočkou.
Mladý turista v bílé bundě zpívá v lese.
Vysoká dívka pozoruje králíka před domem.
Muž si hraje pod stromem s hnědou kočkou.
Starý student čeká za plotem s černým psem.
Zpěvačka v bílém klobouku tančí na náměstí.
Mladá tanečnice běží na náměstí.
Starý student si hraje na zahradě s hnědým králíkem.
Veselá dívka opravuje nové kolo pod stromem.
Zpěvačka v černém kabátu tančí na pláži.
Dívka hledá nového psa před domem.
Mladý dělník sedí blízko nádraží s malým psem.
Starý chlapec ve žluté košili se prochází na hřišti.
Dělník stojí za plotem s velkým králíkem.
Student maluje kostel a pět bílých králíků běží za plotem.
Veselý chlapec odpočívá u řeky s králíkem.
Dva velcí psi sedí.
Turista maluje nový plot za plotem.
Unavené dítě kupuje velký deštník a tři černí králíci skáčou vedle kostela.
Mladá tanečnice opravuje malou lavičku na hřišti.
Lékař v černé košili sedí na ulici.
Vysoký student hledá klíč pod stromem.
Černý pes sedí.
Starý lékař nese starý kufr na pláži.
Fotograf maluje velké okno, zatímco pět bílých králíků odpočívá na zahradě.
Mladý turista opravuje nový plot na náměstí.
Veselý turista odpočívá u řeky s černou kočkou.
Pět vysokých dělníků spí.
Stará žena sedí za plotem s černým psem.
Starý chlapec ve žlutém tričku stojí v pokoji.
Dělník v zelené košili odpočívá na hřišti.
Vysoký dělník maluje velký plot na ulici.
Mladý student v zeleném klobouku odpočívá před domem.
Veselá zpěvačka běží u řeky se psem.
Starý muž běží v lese s černou kočkou.
Student hledá krásnou mapu před domem.
Dělník nese lavičku a tři černí psi si hrají na hřišti.
Stará zpěvačka spí před domem.
Starý lékař nese starou kytaru a tři hnědí ptáci spí před domem.
Mladý student kupuje kolo, zatímco si dva ptáci hrají na hřišti.
Tři mladí fotografové si hrají na náměstí.
Veselá zpěvačka čeká v parku.
Pět vysokých zpěvaček skáče v parku.
Dva bílí králíci stojí na ulici.
Veselá dívka stojí na ulici.
Mladý lékař čte velkou mapu a tři bílí ptáci sedí vedle kostela.
Stará dívka v modré košili se prochází na ulici.
Mladá zpěvačka v černém kabátu se prochází na hřišti.
Tři staří studenti spí za plotem.
Vysoký chlapec ve žlutém tričku odpočívá u řeky.
Zpěvačka nese obraz na zahradě.
Dělník maluje velkou loď vedle kostela.
Student se prochází v lese s králíkem.
Dělník stojí na ulici.
Mladý student nese starý kufr a pět malých koček běží před domem.
Lékař fotí starý kostel.
Vysoká tanečnice si hraje na zahradě s velkým psem.
Veselá žena kupuje malý batoh pod stromem.
Stará dívka myje krásné kolo před domem.
Starý lékař sedí.
Starý chlapec nese modrou krabici vedle kostela.
Veselá žena si hraje vedle kostela s malým králíkem.
Stará dívka opravuje loď, zatímco tři malé kočky sedí v pokoji.
Student pozoruje novou loď na ulici.
Mladý turista běží v lese s malým psem.
Mladý dělník kupuje starý klobouk v lese.
Mladá žena si hraje v lese s malou kočkou.
Dvě tanečnice si hrají na ulici.
Vysoký dělník čte červený dopis v parku.
Tři muži odpočívají v pokoji.
Zpěvačka sedí na hřišti s hnědým králíkem.
Dva černí psi stojí na náměstí.
Zpěvačka hledá kufr, zatímco tři velcí ptáci stojí za plotem.
Pták sedí za plotem.
Vysoký lékař běží na hřišti s malým králíkem.
Dvě kočky čekají blízko nádraží.
Unavená dívka skáče před domem.
Mladý dělník čeká u řeky s malým psem.
Chlapec v červené čepici se prochází vedle kostela.
Zpěvačka kupuje malý obraz, zatímco pět velkých psů čeká v pokoji.
Vysoký muž fotí velkou květinu na pláži.
Starý dělník drží velkou kytaru, zatímco tři ptáci skáčou v parku.
Student stojí na pláži s hnědým psem.
Fotograf si hraje na pláži s velkou kočkou.
Starý lékař kupuje batoh a dvě černé kočky čekají u řeky.
Mladá dívka v bílém kabátu se prochází na ulici.
Mladý chlapec hledá mapu.
Stará zpěvačka kupuje starý batoh a pět králíků čeká na ulici.
Starý chlapec drží deštník, zatímco dva velcí ptáci skáčou na ulici.
Dvě malé kočky spí na hřišti.
Tanečnice v modrém tričku odpočívá na hřišti.
Stará zpěvačka se prochází v parku s černým králíkem.
Stará zpěvačka sedí na zahradě s černou kočkou.
Dvě zpěvačky běží před domem.
Tanečnice hledá klíč na zahradě.
Vysoké dítě čeká na zahradě s černým psem.
Starý lékař sedí za plotem s hnědým králíkem.
Mladá žena nese červenou kytaru v parku.
Student drží modrou mapu a pět ptáků běží na náměstí.
Dělník maluje nový plot blízko nádraží.
Stará tanečnice si hraje za plotem s velkou kočkou.
Stará žena opravuje deštník.
Chlapec tančí u řeky.
Turista stojí před domem s velkým králíkem.
Vysoký chlapec hledá nového psa za plotem.
Stará dívka myje velké okno a dva malí králíci odpočívají před domem.
Dva mladí fotografové spí.
Mladý fotograf se prochází v lese s malým psem.
Mladý student v bílém klobouku zpívá na pláži.
Mladý turista si hraje blízko nádraží.
Malý pták stojí.
Unavené dítě opravuje velké kolo, zatímco pět bílých králíků běží v pokoji.
Unavený lékař nese modrý batoh na ulici.
Vysoký muž se prochází pod stromem.
Lékař hledá starý kufr a dva černí králíci si hrají na zahradě.
Mladá tanečnice ve žlutém kabátu sedí u řeky.
Stará žena v červeném klobouku sedí před domem.
Muž drží klíč, zatímco tři hnědé kočky čekají na zahradě.
Dvě děti se procházejí na zahradě.
Starý fotograf nese starý obraz a dva černí králíci si hrají blízko nádraží.
Mladý dělník v zeleném kabátu se prochází na zahradě.
Dva mladí dělníci stojí na pláži.
Mladá zpěvačka běží na náměstí s kočkou.
Stará dívka stojí na hřišti s malou kočkou.
Veselá zpěvačka v zelené bundě tančí v pokoji.
Malý králík sedí na zahradě.
Stará dívka hledá velký míč před domem.
Veselý muž hledá velký kufr na pláži.
Stará dívka stojí na hřišti s malou kočkou.
Dva staří lékaři čekají.
Vysoký student v červeném klobouku běží u řeky.
Dítě čte dopis vedle kostela.
Mladý dělník v černé bundě čeká za plotem.
Vysoká zpěvačka odpočívá v lese s hnědou kočkou.
Tři hnědí ptáci běží v pokoji.
Mladý lékař drží starý klobouk, zatímco si pět černých králíků hraje blízko nádraží.
Mladá zpěvačka kupuje mapu na náměstí.
Dva psi sedí na zahradě.
Mladá zpěvačka fotí velký kostel a tři psi čekají na náměstí.
Starý chlapec čeká v pokoji s velkým králíkem.
Černý pták sedí.
Starý muž hledá velkou mapu a tři malí ptáci běží u řeky.
Stará tanečnice sedí na hřišti s bílým psem.
