// Keeps the page current: asks for it again when the server says that it has become another.
(function () {
	"use strict";
	var main = document.querySelector("main[data-events]");
	if (!main || !window.EventSource || !window.fetch || !window.DOMParser) return;
	var source = new EventSource(main.dataset.events);
	var asking = false, again = false;

	function open(place) {
		return Array.prototype.map.call(place.querySelectorAll("details"), function (one) { return one.open; });
	}

	function take(text) {
		var fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
		if (!fresh) return location.reload();
		if (fresh.dataset.seen === main.dataset.seen) return;
		var active = document.activeElement;
		var link = active && main.contains(active) && active.getAttribute("href");
		var field = active && main.contains(active) && active.id;
		var atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
		var opened = open(main);
		var old = main;
		main = document.adoptNode(fresh);
		// Nothing that is being written is lost.
		var writing = old.querySelector("form"), form = main.querySelector("form");
		if (writing && form && writing.elements.text.value + writing.elements.name.value) form.replaceWith(writing);
		old.replaceWith(main);
		Array.prototype.forEach.call(main.querySelectorAll("details"), function (one, i) { one.open = !!opened[i]; });
		Array.prototype.some.call(link ? main.querySelectorAll("a") : [], function (one) {
			return one.getAttribute("href") === link && (one.focus({ preventScroll: true }), true);
		});
		if (field && document.getElementById(field)) document.getElementById(field).focus({ preventScroll: true });
		if (atEnd && !field) scrollTo(0, document.documentElement.scrollHeight);
		document.getElementById("news").textContent = "The text has changed.";
	}

	function ask() {
		if (asking) { again = true; return; }
		asking = true;
		fetch(location.pathname + location.search, { cache: "no-store" }).then(function (answer) {
			if (answer.status === 404) location.reload();
			return answer.ok ? answer.text() : null;
		}).then(function (text) {
			if (text !== null) take(text);
		}).catch(function () {}).then(function () {
			asking = false;
			if (again) { again = false; ask(); }
		});
	}

	source.onmessage = function (event) {
		if (event.data !== main.dataset.seen) ask();
	};
	// Nobody tells us any more: the link was revoked, or there are too many readers.
	source.onerror = function () {
		if (source.readyState !== 2) return;
		ask();
		setInterval(ask, 30000);
	};
})();
