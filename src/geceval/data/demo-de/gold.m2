S Gestern ich habe mit meiner Schwester zwei Stunde telefoniert .
A 1 3|||R:WO|||habe ich|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:FORM|||Stunden|||REQUIRED|||-NONE-|||0
A 1 3|||R:WO|||habe ich|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:FORM|||Stunden|||REQUIRED|||-NONE-|||1

S Wir warten schon lange für den nächsten Zug nach Hamburg .
A 4 5|||R:ADP|||auf|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADP|||auf|||REQUIRED|||-NONE-|||1

S Meine Oma hat mir ein roten Pullover gestrickt .
A 4 5|||R:DET:FORM|||einen|||REQUIRED|||-NONE-|||0
A 4 5|||R:DET:FORM|||einen|||REQUIRED|||-NONE-|||1

S Er hat sein Fahrad vor der Bahnhof stehen gelassen .
A 3 4|||R:SPELL|||Fahrrad|||REQUIRED|||-NONE-|||0
A 5 6|||R:DET:FORM|||dem|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||Fahrrad|||REQUIRED|||-NONE-|||1
A 5 6|||R:DET:FORM|||dem|||REQUIRED|||-NONE-|||1

S Am Wochenende möchte ich in Kino gehen , weil läuft ein guter Film .
A 4 5|||R:ADP|||ins|||REQUIRED|||-NONE-|||0
A 9 10|||U:VERB||||||REQUIRED|||-NONE-|||0
A 13 13|||M:VERB|||läuft|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADP|||ins|||REQUIRED|||-NONE-|||1
A 9 10|||R:OTHER|||dort|||REQUIRED|||-NONE-|||1
A 13 13|||M:VERB|||läuft|||REQUIRED|||-NONE-|||1

S Die Kinder spielt im Garten bis es dunkel wird .
A 2 3|||R:VERB:FORM|||spielen|||REQUIRED|||-NONE-|||0
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:FORM|||spielen|||REQUIRED|||-NONE-|||1
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S Ich interessiere mir für alte Landkarten und Schiffen .
A 2 3|||R:PRON:FORM|||mich|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:FORM|||Schiffe|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON:FORM|||mich|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:FORM|||Schiffe|||REQUIRED|||-NONE-|||1

S Wenn ich mehr Zeit hätte , würde ich Klavier lernen .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Das ist der Mann der ich geholfen habe .
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 4 5|||R:PRON:FORM|||dem|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 5|||R:PRON:FORM|||dem|||REQUIRED|||-NONE-|||1

S Unsere Nachbarin kocht jeden sonntag eine große suppe .
A 4 5|||R:ORTH|||Sonntag|||REQUIRED|||-NONE-|||0
A 7 8|||R:ORTH|||Suppe|||REQUIRED|||-NONE-|||0
A 4 5|||R:ORTH|||Sonntag|||REQUIRED|||-NONE-|||1
A 7 8|||R:ORTH|||Suppe|||REQUIRED|||-NONE-|||1

S Sie hat gesagt mir , dass der Laden heute schließt früher .
A 2 4|||R:WO|||mir gesagt|||REQUIRED|||-NONE-|||0
A 9 11|||R:WO|||früher schließt|||REQUIRED|||-NONE-|||0
A 2 4|||R:WO|||mir gesagt|||REQUIRED|||-NONE-|||1
A 9 11|||R:WO|||früher schließt|||REQUIRED|||-NONE-|||1

S Im Winter ist das Wasser im See oft gefriert .
A 8 9|||R:VERB|||gefroren|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB|||zugefroren|||REQUIRED|||-NONE-|||1

S Der Bus ist wegen dem Schnee zu spät gekommen .
A 4 5|||R:DET:FORM|||des|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:FORM|||Schnees|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Ich freue mich sehr über die Ferien im nächsten Monat .
A 4 5|||R:ADP|||auf|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADP|||auf|||REQUIRED|||-NONE-|||1

S Mein Bruder hat gestern nach Wien geflogen .
A 2 3|||R:AUX|||ist|||REQUIRED|||-NONE-|||0
A 2 3|||R:AUX|||ist|||REQUIRED|||-NONE-|||1

S Kannst du mir bitte das Salz geben ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Das Museum öfnet um neun Uhr und kostet kein Eintritt .
A 2 3|||R:SPELL|||öffnet|||REQUIRED|||-NONE-|||0
A 8 9|||R:DET:FORM|||keinen|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||öffnet|||REQUIRED|||-NONE-|||1
A 8 9|||R:DET:FORM|||keinen|||REQUIRED|||-NONE-|||1

S Sie kennt nicht , dass er morgen kommt .
A 1 2|||R:VERB|||weiß|||REQUIRED|||-NONE-|||0
A 4 5|||R:SCONJ|||ob|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||weiß|||REQUIRED|||-NONE-|||1
A 4 5|||R:SCONJ|||ob|||REQUIRED|||-NONE-|||1

S Im Park gibt es viel Bänke und ein kleiner Teich .
A 4 5|||R:DET:FORM|||viele|||REQUIRED|||-NONE-|||0
A 7 8|||R:DET:FORM|||einen|||REQUIRED|||-NONE-|||0
A 8 9|||R:ADJ:FORM|||kleinen|||REQUIRED|||-NONE-|||0
A 4 5|||R:DET:FORM|||viele|||REQUIRED|||-NONE-|||1
A 7 8|||R:DET:FORM|||einen|||REQUIRED|||-NONE-|||1
A 8 9|||R:ADJ:FORM|||kleinen|||REQUIRED|||-NONE-|||1

S Ich habe den Schlüssel auf der Tisch gelegt .
A 5 6|||R:DET:FORM|||den|||REQUIRED|||-NONE-|||0
A 5 6|||R:DET:FORM|||den|||REQUIRED|||-NONE-|||1

S Nach die Arbeit treffen wir uns in Café an der Ecke .
A 1 2|||R:DET:FORM|||der|||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||dem|||REQUIRED|||-NONE-|||0
A 1 2|||R:DET:FORM|||der|||REQUIRED|||-NONE-|||1
A 6 7|||R:ADP|||im|||REQUIRED|||-NONE-|||1

S Die Lehrerin hat uns erklärt , wie man eine Karte liest .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Obwohl es regnet , wir gehen spazieren .
A 4 6|||R:WO|||gehen wir|||REQUIRED|||-NONE-|||0
A 4 6|||R:WO|||gehen wir|||REQUIRED|||-NONE-|||1

S Er ist größer wie sein Vater .
A 3 4|||R:ADP|||als|||REQUIRED|||-NONE-|||0
A 3 4|||R:ADP|||als|||REQUIRED|||-NONE-|||1

S Letztes Jahr haben wir im Italien Urlaub gemacht .
A 4 5|||R:ADP|||in|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADP|||in|||REQUIRED|||-NONE-|||1

S Bevor sie einschläft , liest sie jeder Abend ein paar Seiten .
A 6 7|||R:DET:FORM|||jeden|||REQUIRED|||-NONE-|||0
A 6 7|||R:DET:FORM|||jeden|||REQUIRED|||-NONE-|||1

S ich muss noch einkauffen und die Wäsche aufhängen .
A 0 1|||R:ORTH|||Ich|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||einkaufen|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||Ich|||REQUIRED|||-NONE-|||1
A 3 4|||R:SPELL|||einkaufen|||REQUIRED|||-NONE-|||1

S Der Hund hat den ganze Kuchen gefressen !
A 4 5|||R:ADJ:FORM|||ganzen|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADJ:FORM|||ganzen|||REQUIRED|||-NONE-|||1

S Man kann hier sehr gut schwimmen .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Trotz den Hitze haben viele Leute gekommen .
A 1 2|||R:DET:FORM|||der|||REQUIRED|||-NONE-|||0
A 3 4|||R:AUX|||sind|||REQUIRED|||-NONE-|||0
A 1 2|||R:DET:FORM|||der|||REQUIRED|||-NONE-|||1
A 3 4|||R:AUX|||sind|||REQUIRED|||-NONE-|||1

