const colours = ["--one", "--two", "--three", "--four"].map((name) => `var(${name})`);
const at = (id) => document.getElementById(id);
const text = (id, value) => { at(id).textContent = value; };

async function post(path, body) {
	const response = await fetch(path, {
		method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body)
	});
	if (!response.ok) {
		throw new Error("No answer. Is the store of the locks up?");
	}
	return response.json();
}

async function answer(id, question) {
	try {
		text(id, await question());
	}
	catch (failure) {
		text(id, failure.message);
	}
}

function element(name, content, attributes = {}) {
	const made = document.createElement(name);
	Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
	made.append(...[].concat(content));
	return made;
}

function showSale(sale) {
	text("left", sale ? Math.max(0, sale.leftOver) : "–");
	text("sold", sale ? sale.sold : "–");
	text("oversold", sale ? sale.oversold : "–");
	text("rate", sale ? sale.perSecond : "–");
	at("oversold-card").classList.toggle("bad", !!sale && sale.oversold > 0);
	if (sale) {
		const what = `${sale.units} units, ${sale.buyers} buyers, lock ${sale.locked ? "on" : "off"}`;
		text("status", `${what}, ${sale.running ? "running" : "over"} after ${sale.seconds.toFixed(1)} s`);
		document.body.dataset.sale = sale.id;
		document.body.dataset.running = sale.running;
	}
}

function showInstances(instances, sale) {
	at("instances").replaceChildren(...instances.map((shop, i) => element("tr", [
		element("td", [element("span", [], { class: "dot", style: `background:${colours[i % 4]}` }), shop.name]),
		element("td", String(shop.sold)),
		element("td", String(shop.waiting)),
		element("td", shop.outcomes.replaceAll("=", " ").replaceAll(",", ", ") || "–")
	])));
	const whole = sale ? Math.max(sale.units, sale.sold) : 1;
	at("progress").replaceChildren(...instances.map((shop, i) => element("div", [],
		{ style: `width:${100 * shop.sold / whole}%;background:${colours[i % 4]}` })));
	at("legend").replaceChildren(...instances.map((shop, i) => element("span", [
		element("span", [], { class: "dot", style: `background:${colours[i % 4]}` }), shop.name])));
}

function svg(name, attributes, content = "") {
	const made = document.createElementNS("http://www.w3.org/2000/svg", name);
	Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
	made.textContent = content;
	return made;
}

function plot(instances) {
	const series = instances.map((shop) => shop.holds ? shop.holds.split(",").map((micros) => micros / 1000) : []);
	const most = Math.max(4, ...series.flat());
	const top = Math.ceil(most / 4) * 4;
	const width = at("plot").clientWidth || 720;
	at("plot").setAttribute("viewBox", `0 0 ${width} 200`);
	const y = (value) => 185 - 170 * value / top;
	const drawn = [0, 1, 2, 3, 4].flatMap((step) => [
		svg("line", { x1: 34, x2: width, y1: y(step * top / 4), y2: y(step * top / 4) }),
		svg("text", { x: 26, y: y(step * top / 4) + 4, "text-anchor": "end" }, String(step * top / 4))
	]);
	series.forEach((holds, i) => holds.forEach((value, n) => drawn.push(svg("circle",
		{ cx: 42 + (width - 52) * n / 119, cy: y(value), r: 2.6, fill: colours[i % 4], "fill-opacity": 0.75 }))));
	at("plot").replaceChildren(...drawn);
}

function show(state) {
	text("self", state.self);
	text("engine", state.engine);
	showSale(state.sale);
	showInstances(state.instances, state.sale);
	plot(state.instances);
	text("holder", state.holder || "nobody");
	at("reports").replaceChildren(...state.reports.map((report) => element("li",
		[element("span", report.ran), report.instance])));
}

const read = async (path) => (await fetch(path)).json();
const age = (moment) => `${Math.max(0, (Date.now() - Date.parse(moment)) / 1000).toFixed(1)} s`;

/** A line for each holder: a shared lock and permits have several. */
function lines(holders, describe, more = "") {
	const shown = holders.slice(0, 3).map((holder) => element("div", describe(holder)));
	return holders.length > 3 ? [...shown, element("div", more)] : holders.length ? shown : "–";
}

function holdersOf(lock, instances) {
	return lock.failure || lines(lock.holders, (holder) => {
		const shop = instances.find((one) => one.process === holder.process);
		return `${shop ? shop.name : "process " + holder.process}, ${holder.thread}`;
	}, `and ${lock.holders.length - 3} more`);
}

/** A row for each of the keys that this instance uses most at the moment; the store tells who holds them. */
async function showLocks(instances) {
	const { held, waiting } = await read("actuator/locks");
	const used = Object.groupBy([...waiting, ...held], (lock) => `${lock.engine}?key=${encodeURIComponent(lock.key)}`);
	const paths = Object.keys(used).sort((one, other) => used[other].length - used[one].length || one.localeCompare(other)).slice(0, 5);
	const locks = await Promise.all(paths.map((path) => read(`actuator/locks/${path}`)));
	const rows = locks.map((lock, i) => element("tr", [
		element("td", lock.key), element("td", used[paths[i]][0].name),
		element("td", holdersOf(lock, instances), { class: lock.failure ? "failure" : "" }),
		element("td", lines(lock.holders, ({ since }) => `${new Date(since).toLocaleTimeString("en-GB")} (${age(since)})`)),
		element("td", lock.here.waiting.length ? `${lock.here.waiting.length}, longest ${age(lock.here.waiting[0].since)}` : "0")
	]));
	at("locks").replaceChildren(...(rows.length ? rows
		: [element("tr", element("td", "Nothing is held or awaited here.", { colspan: 5, class: "none" }))]));
}

async function follow() {
	try {
		const state = await read("api/state");
		show(state);
		await showLocks(state.instances);
	}
	catch (failure) {
		text("status", "this instance does not answer");
	}
	setTimeout(follow, 300);
}

at("sale").addEventListener("submit", async (event) => {
	event.preventDefault();
	await post("api/sales", { units: +at("units").value, buyers: +at("buyers").value, lock: at("lock").checked });
});
at("pay").addEventListener("click", () => answer("paid", async () => {
	const result = await post("api/pay-twice", {});
	return `Order ${result.order}: ${result.payments} payment${result.payments === 1 ? "" : "s"}`
		+ (result.cancelled ? ", cancelled first" : "");
}));
at("rush").addEventListener("click", () => answer("rushed", async () => {
	const { paid, atOnce } = await post("api/rush", {});
	return `${paid} orders paid, at most ${atOnce} at once`;
}));
at("quote").addEventListener("click", () => answer("quoted", async () => {
	const { old, fresh, mixed } = await post("api/prices", {});
	return `${old} by the old list, ${fresh} by the new one, ${mixed} by both`;
}));
at("fill").addEventListener("click", () => answer("filled", async () => {
	const { filled, left } = await post("api/carts", {});
	return `${filled} carts filled, ${left} cups left`;
}));
at("submit").addEventListener("click", () =>
	answer("submitted", async () => (await post("api/submit", { customer: "ada" })).answer));
follow();
