S Last summer I have visited my grandmother in mountains for two week .
A 3 4|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 8 8|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 11 12|||R:NOUN:NUM|||weeks|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 8 8|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 11 12|||R:NOUN:NUM|||weeks|||REQUIRED|||-NONE-|||1

S The train was so crowd that my suitcase have to travel in my knees .
A 4 5|||R:MORPH|||crowded|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||0
A 11 12|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 5|||R:MORPH|||crowded|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||1
A 11 14|||R:OTHER|||on my lap|||REQUIRED|||-NONE-|||1

S The ferry leaves at half past seven , so we should set the alarm for six .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S My brother do n't likes airports because of he always lose something there .
A 2 3|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||like|||REQUIRED|||-NONE-|||0
A 7 8|||U:PREP||||||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||loses|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:FORM|||like|||REQUIRED|||-NONE-|||1
A 7 8|||U:PREP||||||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||loses|||REQUIRED|||-NONE-|||1

S We arrived to the hotel in midnight , but the door was close .
A 2 3|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 5 6|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 12 13|||R:VERB:FORM|||closed|||REQUIRED|||-NONE-|||0
A 2 3|||R:PREP|||at|||REQUIRED|||-NONE-|||1
A 5 6|||R:PREP|||at|||REQUIRED|||-NONE-|||1
A 12 13|||R:VERB|||locked|||REQUIRED|||-NONE-|||1

S I have never saw so blue lake in my life .
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||0
A 4 5|||R:OTHER|||such a|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||1
A 4 7|||R:OTHER|||a lake so blue|||REQUIRED|||-NONE-|||1

S In my country we are eating dinner very late , sometimes at eleven o'clock .
A 4 6|||R:VERB:TENSE|||eat|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 6|||R:VERB:TENSE|||eat|||REQUIRED|||-NONE-|||1

S My boss asked to me if I can work in Saturday .
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:TENSE|||could|||REQUIRED|||-NONE-|||0
A 9 10|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 9 10|||R:PREP|||on|||REQUIRED|||-NONE-|||1

S The informations on the website was wrong , so we missed boat .
A 1 2|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||0
A 11 11|||M:DET|||the||our|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||1
A 11 11|||M:DET|||the||our|||REQUIRED|||-NONE-|||1

S After the lesson we went to the park and ate our sandwiches .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S I am living in this city since five years and I still get lost .
A 1 3|||R:VERB:TENSE|||have lived||have been living|||REQUIRED|||-NONE-|||0
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 1 3|||R:VERB:TENSE|||have been living|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||1
A 9 9|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S My little sister is more taller than me now , and she never forget to mention it .
A 4 5|||U:ADV||||||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:SVA|||forgets|||REQUIRED|||-NONE-|||0
A 4 5|||U:ADV||||||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:SVA|||forgets|||REQUIRED|||-NONE-|||1

S Yesterday I lost my keys , my phone and the last bus , it was not my day .
A 12 13|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 12 13|||R:PUNCT|||.|||REQUIRED|||-NONE-|||1
A 13 14|||R:ORTH|||It|||REQUIRED|||-NONE-|||1

S My grandfather still writes letters by hand , and he posts them on Mondays .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S the coffee in this office taste like a wet newspaper .
A 0 1|||R:ORTH|||The|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||tastes|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||The|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:SVA|||tastes|||REQUIRED|||-NONE-|||1
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||1

S I forgot to saved the document and the computer turned off itself .
A 3 4|||R:VERB:FORM|||save|||REQUIRED|||-NONE-|||0
A 10 12|||R:WO|||itself off|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||save|||REQUIRED|||-NONE-|||1
A 4 5|||R:DET|||my|||REQUIRED|||-NONE-|||1
A 10 12|||R:WO|||itself off|||REQUIRED|||-NONE-|||1

S My aunt cooks very good and her soup smell amazing .
A 4 5|||R:ADV|||well|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:SVA|||smells|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADV|||well|||REQUIRED|||-NONE-|||1
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:SVA|||smells|||REQUIRED|||-NONE-|||1

S There is many pigeons in the square and they are not afraid from people .
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 12 13|||R:PREP|||of|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||1
A 12 13|||R:PREP|||of|||REQUIRED|||-NONE-|||1

S When I was child , I wanted to become a astronaut or a baker .
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB|||be|||-NONE-|||-NONE-|||1
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||1

S My neighbour is a very kind person and she helps me a lot .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S He gave me a good advice : never discuss about money with hungry people .
A 3 4|||R:DET|||some|||REQUIRED|||-NONE-|||0
A 9 10|||U:PREP||||||REQUIRED|||-NONE-|||0
A 5 5|||M:OTHER|||piece of|||REQUIRED|||-NONE-|||1
A 9 10|||U:PREP||||||REQUIRED|||-NONE-|||1

S I must to finish the report untill tomorrow .
A 2 3|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 6 7|||R:PREP|||by|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||have|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||by|||REQUIRED|||-NONE-|||1

S The phone of my mother is so old that it have buttons .
A 10 11|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 0 5|||R:OTHER|||My mother 's phone|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1

S We was laughing so loud that the neighbours knocked the wall .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADV|||loudly|||-NONE-|||-NONE-|||0
A 9 9|||M:PREP|||on|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 9 9|||M:PREP|||on|||REQUIRED|||-NONE-|||1

S Could you tell me where the nearest pharmacy is ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Please tell me how can I open this jar without to break it .
A 4 6|||R:WO|||I can|||REQUIRED|||-NONE-|||0
A 10 12|||R:VERB:FORM|||breaking|||REQUIRED|||-NONE-|||0
A 4 6|||R:WO|||I can|||REQUIRED|||-NONE-|||1
A 10 12|||R:VERB:FORM|||breaking|||REQUIRED|||-NONE-|||1

S My flatmate borrow my bicycle every mornings and return it with empty tyres .
A 2 3|||R:VERB:SVA|||borrows|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||morning|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:SVA|||returns|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||borrows|||REQUIRED|||-NONE-|||1
A 6 7|||R:NOUN:NUM|||morning|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:SVA|||returns|||REQUIRED|||-NONE-|||1
A 11 12|||R:ADJ|||flat|||REQUIRED|||-NONE-|||1

S I am very exciting for the school trip to the science museum .
A 3 4|||R:MORPH|||excited|||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||about|||REQUIRED|||-NONE-|||0
A 3 4|||R:MORPH|||excited|||REQUIRED|||-NONE-|||1
A 4 5|||R:PREP|||about|||REQUIRED|||-NONE-|||1

S The children plaied in the garden until it becomed dark .
A 2 3|||R:SPELL|||played|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:INFL|||became|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||played|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB|||got|||REQUIRED|||-NONE-|||1

S Every day I do sport in the morning .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 5|||R:OTHER|||exercise|||REQUIRED|||-NONE-|||1

S I recommend you to try the fish soup , it is delicious .
A 2 5|||R:OTHER|||trying|||REQUIRED|||-NONE-|||0
A 8 9|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 8 9|||R:PUNCT|||;|||REQUIRED|||-NONE-|||1

S In the first day of my new job I spilled coffee on the printer , the carpet and my boss .
A 0 1|||R:PREP|||On|||REQUIRED|||-NONE-|||0
A 0 1|||R:PREP|||On|||REQUIRED|||-NONE-|||1
A 8 8|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S The doctor said me that I should to drink more water and less coffees .
A 2 3|||R:VERB|||told|||REQUIRED|||-NONE-|||0
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 13 14|||R:NOUN:NUM|||coffee|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||told|||REQUIRED|||-NONE-|||1
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 13 14|||R:NOUN:NUM|||coffee|||REQUIRED|||-NONE-|||1

S The café on the corner sells the best lemon cake in town .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S My dog is afraid of vacuum cleaner , thunder and my uncle 's singing .
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||cleaners|||REQUIRED|||-NONE-|||1

S She has a beautifull voice , but she is singing only in the shower .
A 3 4|||R:SPELL|||beautiful|||REQUIRED|||-NONE-|||0
A 8 10|||R:VERB:TENSE|||sings|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||beautiful|||REQUIRED|||-NONE-|||1
A 8 11|||R:OTHER|||only sings|||REQUIRED|||-NONE-|||1

S I look forward to meet you and your family in june .
A 4 5|||R:VERB:FORM|||meeting|||REQUIRED|||-NONE-|||0
A 10 11|||R:ORTH|||June|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||meeting|||REQUIRED|||-NONE-|||1
A 10 11|||R:ORTH|||June|||REQUIRED|||-NONE-|||1

S Despite of the rain , the concert was amazing and everybody were dancing .
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:SVA|||was|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||In spite|||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:SVA|||was|||REQUIRED|||-NONE-|||1

S My grandmother knows how to make a bread without any recipe .
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||1
A 9 10|||R:DET|||a|||-NONE-|||-NONE-|||1

S I had been waiting for forty minutes when the bus finally appeared .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I had three exam this week and I did n't slept well .
A 3 4|||R:NOUN:NUM|||exams|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:FORM|||sleep|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||exams|||REQUIRED|||-NONE-|||1
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:FORM|||sleep|||REQUIRED|||-NONE-|||1

S You should of told me that the shop is closing at five .
A 2 3|||R:VERB|||have|||REQUIRED|||-NONE-|||0
A 8 10|||R:VERB:TENSE|||closes||closed|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||have|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1

S He is the most funny person what I have ever met .
A 3 5|||R:ADJ:FORM|||funniest|||REQUIRED|||-NONE-|||0
A 6 7|||R:PRON|||that|||REQUIRED|||-NONE-|||0
A 3 5|||R:ADJ:FORM|||funniest|||REQUIRED|||-NONE-|||1
A 6 7|||U:PRON||||||REQUIRED|||-NONE-|||1

S The film was boring and we left it before the end .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 7 8|||U:PRON||||||REQUIRED|||-NONE-|||1

S Everytime I try to cook rice , it burn on the bottom and stay raw at the top .
A 0 1|||R:ORTH|||Every time|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:SVA|||burns|||REQUIRED|||-NONE-|||0
A 9 10|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:SVA|||stays|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||Every time|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:SVA|||burns|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:SVA|||stays|||REQUIRED|||-NONE-|||1
A 15 16|||R:PREP|||on|||REQUIRED|||-NONE-|||1

S It depends of the weather if we will go to the beach or stay at home .
A 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 5 6|||R:CONJ|||whether|||REQUIRED|||-NONE-|||0
A 0 8|||R:OTHER|||Whether we|||REQUIRED|||-NONE-|||1
A 16 16|||M:OTHER|||depends on the weather|||REQUIRED|||-NONE-|||1

S The cat of the neighbours sleeped on my laptop and sended three e-mails .
A 5 6|||R:VERB:INFL|||slept|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:INFL|||sent|||REQUIRED|||-NONE-|||0
A 0 5|||R:OTHER|||The neighbours ' cat|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:INFL|||slept|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:INFL|||sent|||REQUIRED|||-NONE-|||1

S We have took a lot of photo near the lake , but in all of them I am blinking .
A 2 3|||R:VERB:FORM|||taken|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||photos|||REQUIRED|||-NONE-|||0
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 6 7|||R:NOUN:NUM|||photos|||REQUIRED|||-NONE-|||1
A 12 19|||R:WO|||I am blinking in all of them|||REQUIRED|||-NONE-|||1

S I would like that you send me the new password , because the old do n't work .
A 3 6|||R:OTHER|||you to send|||REQUIRED|||-NONE-|||0
A 14 14|||M:NOUN|||one|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0
A 3 6|||R:OTHER|||you to send|||REQUIRED|||-NONE-|||1
A 10 11|||U:PUNCT||||||REQUIRED|||-NONE-|||1
A 14 14|||M:NOUN|||one|||REQUIRED|||-NONE-|||1
A 14 15|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||1

S She would rather walk than drive .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Our holidays begins in friday and we still do n't know where to go .
A 2 3|||R:VERB:SVA|||begin|||REQUIRED|||-NONE-|||0
A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 5|||R:ORTH|||Friday|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:NUM|||holiday|||REQUIRED|||-NONE-|||1
A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||1
A 4 5|||R:ORTH|||Friday|||REQUIRED|||-NONE-|||1

S He speak english very good , but he understands nothing on the phone .
A 1 2|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||0
A 2 3|||R:ORTH|||English|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADV|||well|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||1
A 2 3|||R:ORTH|||English|||REQUIRED|||-NONE-|||1
A 4 5|||R:ADV|||well|||REQUIRED|||-NONE-|||1

S If I will have enough money , I will buy to my parents a new fridge .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||0
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 10 16|||R:OTHER|||a new fridge for my parents|||REQUIRED|||-NONE-|||1

S There are many people who do not like rain , but I like it .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 12 14|||R:OTHER|||do|||REQUIRED|||-NONE-|||1

S The most of the students prefers to study in library .
A 0 1|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:ORTH|||Most|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||prefer|||REQUIRED|||-NONE-|||0
A 9 9|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 0 2|||R:OTHER|||Most|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:SVA|||prefer|||REQUIRED|||-NONE-|||1
A 9 9|||M:DET|||the||a|||REQUIRED|||-NONE-|||1

S I am agree with you , but my stomach does n't .
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||1

S This morning I waked up late and I have forgotten my lunch in the fridge .
A 3 4|||R:VERB:INFL|||woke|||REQUIRED|||-NONE-|||0
A 8 10|||R:VERB:TENSE|||forgot|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:INFL|||woke|||REQUIRED|||-NONE-|||1
A 7 10|||R:OTHER|||left|||REQUIRED|||-NONE-|||1

S My cousin is working like nurse in a hospital near of the station .
A 4 5|||R:PREP|||as|||REQUIRED|||-NONE-|||0
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||0
A 2 5|||R:OTHER|||works as|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||1

S There were a lot of people in the queue , therefore I have bought nothing .
A 9 10|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 11 11|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 12 13|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 10 11|||R:CONJ|||so|||REQUIRED|||-NONE-|||1
A 12 13|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S Neither of my sisters likes olives , but both of them love cheese .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I did n't knew that you are vegetarian , sorry for the sausages .
A 3 4|||R:VERB:FORM|||know|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||were|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||know|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:TENSE|||were|||REQUIRED|||-NONE-|||1
A 7 7|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 8 9|||R:PUNCT|||.|||REQUIRED|||-NONE-|||1
A 9 10|||R:ORTH|||Sorry|||REQUIRED|||-NONE-|||1

S My grandfathers snoring is louder than the washing machine .
A 1 2|||R:NOUN:POSS|||grandfather 's|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:POSS|||grandfather 's|||REQUIRED|||-NONE-|||1

S The museum was closed because the strike .
A 5 5|||M:PREP|||of|||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||due to||owing to|||REQUIRED|||-NONE-|||1

S I bought a new telephone because the old one fell in the soup .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN|||phone|||REQUIRED|||-NONE-|||1
A 10 11|||R:PREP|||into|||REQUIRED|||-NONE-|||1

S I spend a lot of time to look for my glasses , which are usually on my head .
A 6 8|||R:VERB:FORM|||looking|||REQUIRED|||-NONE-|||0
A 6 8|||R:VERB:FORM|||looking|||REQUIRED|||-NONE-|||1

S He has broke his leg while he was dancing in the kitchen .
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 6 8|||U:OTHER||||||REQUIRED|||-NONE-|||1

S My town is small but it has all what I need : a library , a bakery and a bus stop .
A 8 9|||R:PRON|||that|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 7 9|||R:OTHER|||everything|||REQUIRED|||-NONE-|||1

S If I were you , I would take an umbrella .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I feel myself tired after lunch , specially when the meeting is long .
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||0
A 7 8|||R:ADV|||especially|||REQUIRED|||-NONE-|||0
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||1
A 7 8|||R:ADV|||especially|||REQUIRED|||-NONE-|||1

S The waiter bringed us a wrong soup , but we ate her anyway .
A 2 3|||R:VERB:INFL|||brought|||REQUIRED|||-NONE-|||0
A 4 5|||R:DET|||the|||REQUIRED|||-NONE-|||0
A 11 12|||R:PRON|||it|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:INFL|||brought|||REQUIRED|||-NONE-|||1
A 4 5|||R:DET|||the|||REQUIRED|||-NONE-|||1
A 11 12|||R:PRON|||it|||REQUIRED|||-NONE-|||1

S My parents let me to choose the colour of my room and I have chose orange .
A 4 5|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 13 14|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 4 5|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 11 11|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 13 14|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S The weather was bad , however we enjoyed the trip .
A 4 5|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S In my opinion the cities should to build more bicycle lane and less parkings .
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 10 11|||R:NOUN:NUM|||lanes|||REQUIRED|||-NONE-|||0
A 12 13|||R:ADJ|||fewer|||REQUIRED|||-NONE-|||0
A 13 14|||R:NOUN|||car parks|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||1
A 6 7|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 10 11|||R:NOUN:NUM|||lanes|||REQUIRED|||-NONE-|||1
A 12 13|||R:ADJ|||fewer|||REQUIRED|||-NONE-|||1
A 13 14|||R:NOUN|||parking lots||car parks|||REQUIRED|||-NONE-|||1

S She asked me where did I buy my shoes .
A 4 7|||R:OTHER|||I bought|||REQUIRED|||-NONE-|||0
A 4 7|||R:OTHER|||I had bought|||REQUIRED|||-NONE-|||1

S I have a good news : the heating works again !
A 2 3|||R:DET|||some|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||1

S The soup needs salt .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S When we was crossing the bridge , the wind take my hat and throwed it to a duck .
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:TENSE|||took|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:INFL|||threw|||REQUIRED|||-NONE-|||0
A 15 16|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:TENSE|||took|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:INFL|||threw|||REQUIRED|||-NONE-|||1
A 15 16|||R:PREP|||onto||at|||REQUIRED|||-NONE-|||1

S The internet connexion in my village is very slow , but the neighbours are fast with the gossips .
A 2 3|||R:SPELL|||connection|||REQUIRED|||-NONE-|||0
A 16 17|||U:DET||||||REQUIRED|||-NONE-|||0
A 17 18|||R:NOUN:NUM|||gossip|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||connection|||REQUIRED|||-NONE-|||1
A 16 18|||R:OTHER|||gossip|||REQUIRED|||-NONE-|||1

S He is used to wake up at five o'clock , but he is not used to talk before nine .
A 4 5|||R:VERB:FORM|||waking|||REQUIRED|||-NONE-|||0
A 16 17|||R:VERB:FORM|||talking|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||waking|||REQUIRED|||-NONE-|||1
A 16 17|||R:VERB:FORM|||talking|||REQUIRED|||-NONE-|||1

S This is the dog of my aunt .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 7|||R:OTHER|||my aunt 's dog|||REQUIRED|||-NONE-|||1

S It was my first time that I drove in the left side of the road .
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:TENSE|||had driven|||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 5 8|||R:OTHER|||driving|||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||on|||REQUIRED|||-NONE-|||1

S Can you borrow me your umbrella until the rain will stop ?
A 2 3|||R:VERB|||lend|||REQUIRED|||-NONE-|||0
A 9 11|||R:VERB:TENSE|||stops|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||lend|||REQUIRED|||-NONE-|||1
A 9 11|||R:VERB:TENSE|||stops|||REQUIRED|||-NONE-|||1

S My homework was eaten by the dog , I swear you .
A 10 10|||M:PREP|||to|||REQUIRED|||-NONE-|||0
A 10 11|||U:PRON||||||REQUIRED|||-NONE-|||1

S It took me a whole year to understand my mother-in-law 's jokes .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The flight was delay and we have to slept on the floor of the airport .
A 3 4|||R:VERB:FORM|||delayed|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:FORM|||sleep|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||delayed|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:FORM|||sleep|||REQUIRED|||-NONE-|||1
A 11 15|||R:OTHER|||airport floor|||REQUIRED|||-NONE-|||1

S I wish I can speak with my grandparents without a dictionary .
A 3 4|||R:VERB:TENSE|||could|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:TENSE|||could|||REQUIRED|||-NONE-|||1
A 5 6|||R:PREP|||to|||-NONE-|||-NONE-|||1

S Nobody did n't tell me that the meeting was cancelled .
A 1 4|||R:OTHER|||told|||REQUIRED|||-NONE-|||0
A 1 4|||R:OTHER|||told|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||had been|||REQUIRED|||-NONE-|||1

S On the weekend , I usually clean my room and call my parents .
A 0 1|||R:PREP|||At|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S There are less people in the gym on february than in january .
A 2 3|||R:ADJ|||fewer|||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||in|||REQUIRED|||-NONE-|||0
A 8 9|||R:ORTH|||February|||REQUIRED|||-NONE-|||0
A 11 12|||R:ORTH|||January|||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||in|||REQUIRED|||-NONE-|||1
A 8 9|||R:ORTH|||February|||REQUIRED|||-NONE-|||1
A 11 12|||R:ORTH|||January|||REQUIRED|||-NONE-|||1

S My sister and me has started to learn the guitar , our neighbours has started to learn patience .
A 3 4|||R:PRON|||I|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 10 11|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 3 4|||R:PRON|||I|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||1
A 11 11|||M:CONJ|||and|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||1

S The cake looked beautifully but it tasted as soap .
A 3 4|||R:MORPH|||beautiful|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||like|||REQUIRED|||-NONE-|||0
A 3 4|||R:MORPH|||beautiful|||REQUIRED|||-NONE-|||1
A 7 8|||R:PREP|||like|||REQUIRED|||-NONE-|||1

S Our teacher said that mistakes are the stairs we climb .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I sent the message to the wrong group and now everybody know what I think about the boss 😳 .
A 11 12|||R:VERB:SVA|||knows|||REQUIRED|||-NONE-|||0
A 8 8|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:SVA|||knows|||REQUIRED|||-NONE-|||1
A 15 16|||R:PREP|||of|||REQUIRED|||-NONE-|||1

S “ Do n't touch that ! ” shout my grandfather , but it was to late .
A 7 8|||R:VERB:TENSE|||shouted|||REQUIRED|||-NONE-|||0
A 14 15|||R:ADV|||too|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:TENSE|||shouted|||REQUIRED|||-NONE-|||1
A 14 15|||R:ADV|||too|||REQUIRED|||-NONE-|||1

S We meet in a small café two year ago and since then we are friends .
A 1 2|||R:VERB:TENSE|||met|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:NUM|||years|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:TENSE|||have been|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||met|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:NUM|||years|||REQUIRED|||-NONE-|||1
A 9 9|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 10 14|||R:OTHER|||we have been|||REQUIRED|||-NONE-|||1
A 15 15|||M:OTHER|||since then|||REQUIRED|||-NONE-|||1

S My new shoes costed 49.90 euros , but they hurts .
A 3 4|||R:VERB:INFL|||cost|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:SVA|||hurt|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:INFL|||cost|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:SVA|||hurt|||REQUIRED|||-NONE-|||1

S WHY the people always push the button when the lift already is coming ?
A 1 1|||M:VERB|||do|||REQUIRED|||-NONE-|||0
A 1 2|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 12|||R:WO|||is already|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||Why|||REQUIRED|||-NONE-|||1
A 1 2|||R:OTHER|||do|||REQUIRED|||-NONE-|||1
A 10 12|||R:WO|||is already|||REQUIRED|||-NONE-|||1

S Me and my friend are planning to open a small bookshop .
A 0 4|||R:OTHER|||My friend and I|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S My well-known forgetfulness have cost me four umbrella this year .
A 3 4|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:NUM|||umbrellas|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:NUM|||umbrellas|||REQUIRED|||-NONE-|||1

S I would be very gratefull if you could to answer me so soon as possible .
A 4 5|||R:SPELL|||grateful|||REQUIRED|||-NONE-|||0
A 8 9|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 11 12|||R:ADV|||as|||REQUIRED|||-NONE-|||0
A 4 5|||R:SPELL|||grateful|||REQUIRED|||-NONE-|||1
A 8 11|||R:OTHER|||reply|||REQUIRED|||-NONE-|||1
A 11 12|||R:ADV|||as|||REQUIRED|||-NONE-|||1

S The film was so long that I fallen asleep two time .
A 7 8|||R:VERB:FORM|||fell|||REQUIRED|||-NONE-|||0
A 10 11|||R:NOUN:NUM|||times|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:FORM|||fell|||REQUIRED|||-NONE-|||1
A 9 11|||R:OTHER|||twice|||REQUIRED|||-NONE-|||1

S He apologised to the cat , which did not seem to care .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S He do n't never washes the dishes , he only move them .
A 1 3|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 7 8|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||moves|||REQUIRED|||-NONE-|||0
A 1 5|||R:OTHER|||does n't ever wash|||REQUIRED|||-NONE-|||1
A 7 8|||R:PUNCT|||;|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||moves|||REQUIRED|||-NONE-|||1

S I am thinking to change my job because I am sitting all day .
A 3 5|||R:OTHER|||of changing||about changing|||REQUIRED|||-NONE-|||0
A 9 11|||R:VERB:TENSE|||sit|||REQUIRED|||-NONE-|||0
A 3 7|||R:OTHER|||of changing jobs|||REQUIRED|||-NONE-|||1
A 9 11|||R:VERB:TENSE|||sit|||REQUIRED|||-NONE-|||1

S In winter the days are shorts , but the evenings with my family are more warm .
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 5 6|||R:ADJ|||short|||REQUIRED|||-NONE-|||0
A 14 16|||R:ADJ:FORM|||warmer|||REQUIRED|||-NONE-|||0
A 5 6|||R:ADJ|||short|||REQUIRED|||-NONE-|||1
A 14 16|||R:ADJ:FORM|||warmer|||REQUIRED|||-NONE-|||1

S In the evening it was cold and I was tired and I wanted to go home .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 6 7|||R:OTHER|||,|||REQUIRED|||-NONE-|||1

S I have 25 years old and I still call my mother when I must iron a shirt .
A 1 2|||R:VERB|||am|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||am|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB|||have to|||REQUIRED|||-NONE-|||1

S Since I moved here , I learned to cook , to sew and apologise in three languages .
A 6 6|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 13 13|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||1
A 10 11|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1

S It is important that the childrens learn to swim when they are young .
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:INFL|||children|||REQUIRED|||-NONE-|||0
A 3 7|||R:OTHER|||for children to learn|||REQUIRED|||-NONE-|||1

S The recipe calls for 2.5 cups of flour and a pinch of salt .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S My colleague always come late and always have a new excuse about his goldfish .
A 3 4|||R:VERB:SVA|||comes|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB|||arrives|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1

S The instructions was write in a language that even the translator did n't recognise it .
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||written|||REQUIRED|||-NONE-|||0
A 14 15|||U:PRON||||||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 3 4|||R:VERB:FORM|||written|||REQUIRED|||-NONE-|||1
A 14 15|||U:PRON||||||REQUIRED|||-NONE-|||1

S He said he loves mushrooms but allergic to them .
A 6 6|||M:PRON|||he|||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB|||is|||REQUIRED|||-NONE-|||0
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 6 6|||M:PRON|||he|||REQUIRED|||-NONE-|||1
A 6 6|||M:VERB|||is|||REQUIRED|||-NONE-|||1

S Yesterday was the party of my niece and very fun .
A 8 8|||M:PRON|||it|||REQUIRED|||-NONE-|||0
A 8 8|||M:VERB|||was|||REQUIRED|||-NONE-|||0
A 2 7|||R:OTHER|||my niece 's party|||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 8 9|||R:OTHER|||it was great|||REQUIRED|||-NONE-|||1

S When arrived home , the cat was on the table and the fish has disappear .
A 1 1|||M:PRON|||we||I|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:FORM|||disappeared|||REQUIRED|||-NONE-|||0
A 1 1|||M:PRON|||I|||REQUIRED|||-NONE-|||1
A 13 15|||R:OTHER|||was gone|||REQUIRED|||-NONE-|||1

S When I came to this country I knew nobody , but after few months I found a job in restaurant where I learned to make soup and to swear in four language .
A 12 12|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 19 19|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 31 32|||R:NOUN:NUM|||languages|||REQUIRED|||-NONE-|||0
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 12|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 19 19|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 31 32|||R:NOUN:NUM|||languages|||REQUIRED|||-NONE-|||1

S The technician who has came to repair the washing machine stayed for two hours , drunk three cups of tea , told us about his divorce and leaved without to repair nothing .
A 3 5|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||0
A 15 16|||R:VERB:FORM|||drank|||REQUIRED|||-NONE-|||0
A 27 28|||R:VERB:INFL|||left|||REQUIRED|||-NONE-|||0
A 29 31|||R:VERB:FORM|||repairing|||REQUIRED|||-NONE-|||0
A 31 32|||R:PRON|||anything|||REQUIRED|||-NONE-|||0
A 3 5|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||1
A 15 16|||R:VERB:FORM|||drank|||REQUIRED|||-NONE-|||1
A 27 28|||R:VERB:INFL|||left|||REQUIRED|||-NONE-|||1
A 29 32|||R:OTHER|||repairing anything|||REQUIRED|||-NONE-|||1

S I am writing to complain about the room , because the window did not close , the shower made noises as a whale and the breakfast consist of one apple .
A 20 21|||R:PREP|||like|||REQUIRED|||-NONE-|||0
A 26 27|||R:VERB:TENSE|||consisted|||REQUIRED|||-NONE-|||0
A 8 9|||U:PUNCT||||||REQUIRED|||-NONE-|||1
A 20 21|||R:PREP|||like|||REQUIRED|||-NONE-|||1
A 23 23|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 26 27|||R:VERB:TENSE|||consisted|||REQUIRED|||-NONE-|||1

S My uncle , that is 70 years old , has bought a motorbike last month and now he drive faster than my aunt can pray .
A 3 4|||R:PRON|||who|||REQUIRED|||-NONE-|||0
A 9 10|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 18 19|||R:VERB:SVA|||drives||rides|||REQUIRED|||-NONE-|||0
A 3 4|||R:PRON|||who|||REQUIRED|||-NONE-|||1
A 9 10|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 18 19|||R:VERB|||rides|||REQUIRED|||-NONE-|||1

S Have you ever tried to fold a fitted sheet ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

