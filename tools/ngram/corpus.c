/* The built-in corpus of the embedded model: fragments written for it, short enough to be free of
 * any one voice and long enough to have habits. Data only, one paragraph per item. */
#include <loom/ngram/ngram.h>

/* clang-format off */
static const char *const paragraphs[] = {
	"The lighthouse had been dark for eleven years when the letter came. It was addressed "
	"to the keeper, and since there was no keeper, the postmistress carried it up the hill "
	"herself and left it on the step, under a stone. In the morning the stone was still "
	"there and the letter was gone.",
	"Nobody in the village said anything about it at first. The sea was calm, the boats "
	"went out, and the nets came back heavier than they had been all winter. But on the "
	"third evening a light moved behind the glass at the top of the tower, slowly, as if "
	"somebody were walking around it with a lamp in one hand and looking for something "
	"with the other.",
	"\"It is only the moon,\" said the old man at the harbour.",
	"\"There is no moon tonight,\" said the girl.",
	"He looked at the water for a long time. Then he took his hat off the nail and went "
	"home, and he did not come down to the harbour again until the light had stopped.",
	"She was not afraid of the tower. She had climbed it once when she was seven, and she "
	"remembered the stairs, which were made of iron and rang under her feet like a slow "
	"bell. She remembered the room at the top, and the great lens, and how the whole world "
	"had been turned upside down in it: the sea above, the sky below, and the village "
	"hanging between them like washing on a line.",
	"In the spring the river came over its banks and into the lower rooms of the library. "
	"They carried the books up the stairs in a long chain, from hand to hand, without "
	"reading the titles. It was only later, when the water had gone down and the shelves "
	"had dried, that anyone noticed how many of the books had changed places. A history of "
	"the northern roads stood among the poems. The poems were among the maps. And between "
	"two volumes on the keeping of bees there was a thin grey book that nobody had ever "
	"seen before.",
	"It had no title and no author. The first page said: You are reading this because the "
	"water has been here. The second page was blank. The third page said: Now you must "
	"decide what to do.",
	"The librarian closed the book and put it in her coat. She did not tell the others. "
	"She had worked in that house for thirty years, and in all that time no book had ever "
	"asked her for anything.",
	"There are two ways to go from the station to the house. The first way follows the "
	"road, past the mill and the school and the long wall of the garden, and it takes an "
	"hour. The second way goes through the wood. It is shorter, or at least it looks "
	"shorter on the map, but those who have taken it do not agree about how long it took "
	"them, and some of them do not agree about which house they came to.",
	"I have taken both ways. I would tell you which one is better, but I am not sure any "
	"more that they lead to the same place.",
	"My grandmother kept a garden in which nothing was planted in rows. She said that a "
	"row was a way of telling a plant that you did not trust it. So the beans climbed the "
	"roses, and the roses climbed the pear tree, and in the middle of it all there was a "
	"chair where she sat in the evening with her hands in her lap and listened.",
	"\"What do you hear?\" I asked her once.",
	"\"Everything that has decided to stay,\" she said.",
	"When she died the garden was sold with the house, and the new people put in a lawn. "
	"But every summer, in the corner by the wall, the beans come up again, and every "
	"summer somebody cuts them down, and I have been told that they are now as thick as a "
	"wrist.",
	"The machine had been built to answer questions, and for a while it did. People came "
	"from far away and stood in front of it with their hats in their hands. They asked "
	"about the weather and the harvest, about lost rings and lost brothers. The machine "
	"thought for a moment, and a small door opened, and there was the answer on a slip of "
	"paper.",
	"Then one day a child came and asked it nothing at all. She sat down on the floor and "
	"began to draw. The machine waited. It had never been asked to wait before. After an "
	"hour the small door opened, and on the slip of paper there was a question.",
	"She read it twice. Then she wrote something underneath, folded the paper, and put it "
	"back.",
	"Nobody knows what the question was. But from that day on the machine answered more "
	"slowly, and its answers were better, and at the bottom of every one of them there was "
	"a little drawing of a house with smoke coming out of the chimney.",
	"Late in the year the wind turned to the north and stayed there. The windows rattled "
	"in their frames. The dog would not go out. We burned the chairs first, because there "
	"were more chairs than people, and then the shelves, and when there was nothing left "
	"but the table we sat around it and looked at one another and did not say what we were "
	"thinking.",
	"\"Tell us a story,\" said my brother.",
	"\"I have told you all my stories,\" said our father.",
	"\"Then tell us one of them again, but change it.\"",
	"And so he told us the story of the two travellers, but this time it was the second "
	"one who found the door. It was a better story that way. I have often wondered why he "
	"had not told it like that from the beginning, and I think it is because he had always "
	"believed he was the first.",
	"The city was built on a slope, so that every street was either a way up or a way "
	"down. People who lived at the top said that they had a view. People who lived at the "
	"bottom said that they had a river. In between there were stairs, thousands of them, "
	"and on the stairs there were those who had not yet decided.",
	"At night the lamps were lit one after another, from the bottom to the top, by a woman "
	"with a long pole. She had counted them: there were four hundred and twelve. On the "
	"night I want to tell you about, she counted four hundred and thirteen.",
	"She went back down and began again. The lamps burned quietly in the fog. She touched "
	"each one with the end of her pole as she passed, and said its number under her "
	"breath, and when she came to the last one she stopped and looked at it for a long "
	"time. It was exactly like the others. It threw the same light on the same wet stones. "
	"But there was a shadow under it, and there was nobody there to cast the shadow.",
	"\"Good evening,\" she said, because she had been brought up to be polite.",
	"\"Good evening,\" said the shadow.",
	"I should like to be precise about what happened next, because I have heard it told in "
	"so many different ways. In one version she runs. In another she puts out the lamp, "
	"and in the dark somebody takes her hand. In the version that I believe, she sat down "
	"on the stairs with the pole across her knees and asked the shadow where it came from, "
	"and it told her, and it took until the morning.",
	"Every story is a tree. You may think that you are walking along a road, but that is "
	"only because you do not turn your head. At each step there was something else that "
	"could have been said, and somewhere it was said, and those who heard it are walking "
	"there now, a little way off, between the trunks. Sometimes, when the wind is right, "
	"you can hear them talking.",
	"The weaver knew this. She had been taught by her mother, who had been taught by hers, "
	"and each of them had added one thread to the cloth and had taken none away. It was so "
	"large by now that no one had ever seen the whole of it. It lay folded in the long "
	"room, and when she needed to find a place in it she did not unfold it but put her "
	"hand between the layers and felt for the knot.",
	"\"Why do you never finish it?\" her daughter asked.",
	"\"Because then we would have to choose,\" said the weaver, \"and I have not yet met "
	"anyone who could.\"",
	"The first rule of the workshop was that nothing was thrown away. If a cup broke, the "
	"pieces were put in a drawer with a number on it, and the number was written in the "
	"book. If a clock stopped, it was allowed to go on being stopped. There was a whole "
	"wall of such clocks, and each of them was right about something.",
	"The second rule was that you had to ask before you touched. The third rule was that "
	"you had to touch before you spoke. I was there for six years, and I never learned the "
	"fourth rule, although I was told many times that I had broken it.",
	"On Sundays the master let us look into the drawers. I remember drawer ninety-one, in "
	"which there was the handle of a jug, and beside it a piece of paper that said: It was "
	"blue. I remember that I looked at that handle, which was white, and that I saw the "
	"whole jug, and it was blue.",
	"Snow fell for nine days. On the tenth day the door would not open, so we climbed out "
	"through the window of the upper room and walked on the roofs. The village had become "
	"another village. Where the square had been there was a white field, and where the "
	"church had been there was a cross, standing in the snow by itself, like something "
	"that had been planted.",
	"We knew where our house was because of the smoke. We knew where the others were "
	"because of the singing. It came up through the snow, very faint, from under our feet, "
	"and we stood still and listened, and after a while we began to sing too, so that they "
	"would know that we were above them.",
	"There is a kind of map that shows only the places that are no longer there. I saw one "
	"once in a shop by the canal. The man who sold it to me said that it was very "
	"accurate. I asked him how anyone could know. He shrugged and said that people come "
	"in, and they look at it, and they weep, and that is how he knows.",
	"I have it on the wall above my desk. There is a lake where the car park is. There is "
	"a bridge, and beside the bridge there is a house with a green door, and in front of "
	"the house, so small that you need a glass to see it, somebody has drawn a bench with "
	"two people on it. They are not looking at each other. They are looking out of the "
	"map, at whoever is looking in.",
	"\"You are late,\" said the doctor.",
	"\"I was told to come when it hurt,\" said the patient, \"and it did not hurt until "
	"now.\"",
	"\"And where does it hurt?\"",
	"The patient thought about this. He looked at his hands, and then out of the window, "
	"where the leaves were coming down one at a time, as if each of them had waited for "
	"the one before it. \"It hurts in the part of me that was going to be a sailor,\" he "
	"said at last.",
	"The doctor wrote something down. She did not laugh, and he was grateful for that. "
	"\"It is quite common,\" she said. \"There is no cure, but there is a harbour not far "
	"from here. I would advise you to go and look at the ships. Not every day. Once a week "
	"should be enough.\"",
	"He went every Thursday for the rest of his life. He never went on board. But he "
	"learned the names of all the ships, and where they came from, and what they carried, "
	"and after some years the captains began to ask him about the weather.",
	"The question is not whether the bridge will hold. The question is who will walk on it "
	"first. We stood on the bank, all twenty of us, and looked at the ropes, and at the "
	"planks, and at the other side, which looked so much like this one that it hardly "
	"seemed worth the trouble. Then the smallest of us, who had not been asked and who had "
	"not said a word since the morning, simply went. She did not hold the ropes. She "
	"walked as you walk across a kitchen to fetch a glass of water.",
	"When she came to the middle she turned around and looked at us, and I have never "
	"forgotten her face. It was not proud, and it was not frightened. It was the face of "
	"somebody who has thought of something funny and is waiting for the others to think of "
	"it too.",
	"To begin with, you will need a clear morning and a piece of string. The string should "
	"be as long as you are tall. Tie one end of it to something that does not move, and "
	"the other end to something that does. Then sit down and wait. It is important that "
	"you do not try to help. If you are patient, you will see that the string is never "
	"quite straight and never quite slack, and if you are very patient, you will see why.",
	"I taught this to my students for many years. Most of them wrote down the part about "
	"the string. A few of them wrote down the part about the waiting. One of them wrote "
	"nothing down at all, and went outside, and I did not see her again until I was old. "
	"She came into my room with snow on her shoulders, and she held up a piece of string, "
	"and we both laughed until we had to sit down.",
	"What I know about my father's war is a list of things that he would not eat. He would "
	"not eat turnips. He would not eat bread that was warm. He would not eat anything on a "
	"Friday until it was dark, and then he ate standing up, by the window, with the light "
	"off. We never asked him why. It was simply how our father ate, as other fathers read "
	"the newspaper or went to church.",
	"After he died I found a notebook in his desk. It was full of recipes. They were "
	"written in pencil, in a small and careful hand, and at the top of each page there was "
	"a name: Anton's soup. Karl's dumplings. The bread that Peter's mother made. There "
	"were fifty-three of them. I have cooked all of them now, one a week, and I have set a "
	"place at the table each time, and I have said the name out loud before I began to "
	"eat.",
	"Morning came late and without colours. The train stood in the middle of the plain and "
	"did not move. Somebody in the next carriage was playing the same four notes on a "
	"violin, over and over, each time a little more slowly, as if he were trying to "
	"remember what came after them.",
	"The conductor went through and said that there was a cow on the line. An hour later "
	"he went through again and said that there was no cow, and that there had never been a "
	"cow, and that he was sorry to have mentioned it. After that nobody saw him any more.",
	"The woman across from me had a basket on her knees with a cloth over it. Now and then "
	"the cloth moved. \"He does not like to stand still,\" she said, when she noticed that "
	"I was looking.",
	"\"What is it?\" I asked.",
	"She considered me. Outside the window the plain went on in every direction, flat and "
	"grey and patient. \"I could tell you,\" she said, \"but then it would be that.\"",
	"We agreed to meet at the place where the path divides. I came early and sat down on "
	"the stone. On the left the path went down towards the water, and I could see where "
	"the grass had been pressed flat by many feet. On the right it went up between the "
	"rocks, and there was nothing to be seen there but the light. I waited until noon. "
	"Then I understood that she had come even earlier than I had, and had gone on, and "
	"that the only thing left for me to find out was which way.",
	"If you hold the glass up to the window, you can see the flaw in it. It is a small "
	"bubble, no larger than a grain of salt, and it has been there for two hundred years. "
	"There is breath in that bubble. Some man, whose name nobody wrote down, bent over his "
	"pipe on a summer morning and blew, and a little of what he was thinking was caught in "
	"the glass and could not get out.",
	"I drink from it only when I have to decide something. It has never told me what to "
	"do. But it is good to hold in your hand a thing that was nearly perfect, and to see "
	"that it was the other part that lasted.",
	"The committee met on the first Monday of the month. There were seven members, of whom "
	"three were always asleep, two were always angry, and one was always late. The seventh "
	"took the minutes. She wrote down everything that was said, and in the margin, in a "
	"different ink, she wrote down everything that had not been said but should have been.",
	"It was the margin that people read afterwards. When the bridge fell, they looked in "
	"the margin, and there it was. When the money was gone, they looked in the margin, and "
	"there it was. In the end they made her the mayor, and she thanked them, and asked for "
	"somebody to take the minutes.",
	"He had three keys and did not know what any of them opened. The first was made of "
	"brass and smelled of the sea. The second was so small that he kept it in a matchbox. "
	"The third was not really a key at all but a piece of wood that somebody had carved "
	"into the shape of one, very carefully, with a number on it: seven.",
	"He tried them in every lock that he came to. It became a habit, and then a "
	"reputation. People would see him coming and leave their doors open, so that he would "
	"not have to ask. He was invited in, and given soup, and told about the lock and who "
	"had made it. By the time he was old he knew every house between the mountains and the "
	"sea, and he had still not found the right door, and he no longer minded.",
	"\"Suppose you found it tomorrow,\" said the boy. \"What would you do?\"",
	"The old man turned the wooden key over in his fingers. \"I would knock,\" he said.",
	"Rain again. It has rained on every day of this journey but one, and on that day we "
	"were in a tunnel. My companion says that it is good for the fields. He says this "
	"every morning, in the same voice, while he pulls on his boots, and I have come to "
	"believe that he does not mean the fields.",
	"We are carrying a box. We have been told not to open it, and we have not opened it. "
	"At first we talked a great deal about what might be inside. Now we hardly talk about "
	"it at all. It is heavier than it was when we began, or else we are weaker. In the "
	"evening we put it between us, and it is a table; at night one of us leans against it, "
	"and it is a wall. I think that when we arrive and hand it over I will feel like a man "
	"who has sold his house.",
	"The last speaker of the language lived alone at the end of the valley. A young man "
	"came once a year with a machine to record her. He asked her for the word for river, "
	"and she told him. He asked her for the word for rope, and she told him. He had a list "
	"of two thousand words, and she knew all of them, and in between she made him tea.",
	"When he had come to the end of the list he thanked her and began to pack his things. "
	"She watched him. \"You have not asked me for the word for this,\" she said.",
	"\"For what?\"",
	"She made a small movement with her hand that took in the table and the cups, the door "
	"standing open, the smell of the cut grass, and the two of them sitting there with "
	"nothing left to say.",
	"He unpacked the machine again. \"Please,\" he said.",
	"The house at the corner changes hands every seven years. Nobody has ever been unhappy "
	"in it. They come with their furniture and their children, they paint the kitchen a "
	"different colour, they plant something in the yard. They say that it is quiet and "
	"that the light is good. And then, after seven years, on some ordinary evening, one of "
	"them looks up from the table and says to the other that it might be time to go, and "
	"the other has been thinking the same thing.",
	"I know this because I live across the street. I have seen six families come and six "
	"families leave. Each of them gave me the key on the last day and asked me to water "
	"the plants until the next ones came. I water the plants. I sit for a while in the "
	"empty kitchen, whatever its colour is. I have never stayed for more than an hour, "
	"because I am not sure what would happen, and because in all these years I have been "
	"very careful to be happy where I am.",
	"One night the wind took the sign from above the door of the inn, and in the morning "
	"it was found in a field eleven miles away, standing upright, as if somebody had put "
	"it there. It said what it had always said: Rooms. A few days later a traveller came "
	"down the road with mud up to his knees and asked for the inn in the field.",
	"\"There is no inn in the field,\" they told him.",
	"\"I slept there last night,\" he said. \"It was very clean. The woman told me that I "
	"should pay here.\"",
	"And he put the money on the table, and it was the right money. They looked at it for "
	"some time. Then the innkeeper, who was a practical man, went out to the shed to see "
	"how much timber he had.",
	"You ask me what it was like. It was like reading a letter that was meant for somebody "
	"else, and finding your own name in it. It was like coming home and seeing a light in "
	"the window and knowing that you live alone. It was like the moment when you have said "
	"the wrong thing, and there is still time to say the right thing, and you can hear it, "
	"you can hear every word of it, and you do not say it. That is what it was like. And "
	"then it was over, and the birds were singing, and somebody asked me whether I wanted "
	"sugar.",
	"The oldest tree in the orchard gave no fruit any more, but nobody would cut it down. "
	"Its branches had been tied up with ropes, and where the ropes had been the bark had "
	"grown over them, so that it was hard to say which part was tree and which part was "
	"rope. Children were brought to it when they were born. The dying asked to have their "
	"beds turned so that they could see it.",
	"When the lightning struck it, the whole village heard. They came out in their "
	"nightclothes and stood around it in the rain. It had been split from the crown to the "
	"root, and inside, in the hollow that nobody had known about, there was a second tree, "
	"thin and white and no taller than a child, with a single leaf.",
	"So they built a fence around it, and somebody was always there. They took turns. My "
	"own turn was on Wednesdays. I brought a book and a lamp, and sometimes I read aloud, "
	"because I had been told that it helps. I do not know what it helps. But by the time I "
	"left that village there were nine leaves, and I had read it almost everything I had.",
	"There was once a painter who could only paint what he had forgotten. It made him "
	"slow. He would look at a thing for days, until he knew it by heart, and then he would "
	"set about losing it: he went for walks, he drank, he fell in love, he learned other "
	"things to put in its place. And when at last it was gone, when he could stand in "
	"front of the empty canvas and feel only that there had been something, he would pick "
	"up his brush.",
	"His pictures hang in the long gallery now, and people stand before them with their "
	"mouths a little open. They say that it is as if they had been there. They say that "
	"they had forgotten it until now.",
	"\"It will not always be like this,\" she said.",
	"\"No,\" I said.",
	"\"One day we will look back on it.\"",
	"\"Yes.\"",
	"She put her head on my shoulder. The boat turned slowly in the current, and the stars "
	"turned with it, and for a moment I could not tell which of them was moving. \"I would "
	"like to look back on it now,\" she said. \"I would like to see what it was.\"",
};
/* clang-format on */

void loom_ngram_corpus(struct loom_buf *out)
{
	for (size_t i = 0; i < LOOM_COUNT(paragraphs); i++) {
		loom_buf_adds(out, paragraphs[i]);
		loom_buf_adds(out, "\n\n");
	}
}
