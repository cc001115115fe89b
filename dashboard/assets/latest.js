// Of the answers to requests for pages only that to the last one is shown, and only at the address
// that it was asked for at. Of an answer that a later request has made old, Dash drops the outputs
// and applies what the server has set beside them (set_props), in whatever order answers come.
(function () {
  const send = window.fetch.bind(window);
  const here = () => window.location.pathname + window.location.search;
  const isPage = ({ inputs }) =>
    inputs.some(({ id, property }) => id === "url" && property === "pathname");
  let last = 0; // the number of the last request for a page
  let answered = 0; // that of the last one whose answer was shown
  let anew = false; // whether the next request is for the whole page

  // Who goes back before the answer has chosen something that the controls show already: only a
  // page that is rendered anew takes that back, since on the screen nothing else has changed.
  window.addEventListener("popstate", () => (anew = answered < last));

  const forWholePage = (body) =>
    JSON.stringify({ ...body, state: body.state.map((one) => ({ ...one, value: null })) });

  window.fetch = async (resource, options) => {
    const { pathname } = new URL(resource.url ?? resource, window.location.href);
    const isCallback = pathname.endsWith("/_dash-update-component");
    if (!isCallback || typeof options?.body !== "string") return send(resource, options);
    const body = JSON.parse(options.body);
    if (!isPage(body)) return send(resource, options);
    const [number, address] = [(last += 1), here()];
    const response = await send(resource, anew ? { ...options, body: forWholePage(body) } : options);
    if (number < last || address !== here()) {
      response.body?.cancel();
      return new Response(null, { status: 204 }); // for Dash: nothing changes
    }
    [answered, anew] = [number, false];
    return response;
  };
})();
