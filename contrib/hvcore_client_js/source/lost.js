/**
 * How it is after an answer was lost, for calls that are refused a second time: a
 * deletion that is sent again finds it done. By the names of the methods.
 */
const ASKED_AFTER_LOSS = {
  removeCaptions: { ask: "listCaptions", find: (listed) => listed },
  removeChapters: { ask: "listChapters", find: (listed) => listed },
  revokeEdgeKey: { ask: "getEdgeKey", find: revoked },
  revokeVideoEdgeKey: { ask: "getEdgeKey", find: revoked },
  revokeShareLink: {
    ask: "listShareLinks",
    find: ({ shares }, { shareID }) => revoked(shares.find((share) => share.shareID === shareID)),
  },
};

function revoked(found) {
  return found?.revokedAt ? found : undefined;
}

/** What a call wanted, if a try whose answer was lost has done it. */
async function foundDone(client, name, params, error, options) {
  if (!(error instanceof ApiError && error.followsLostAnswer)) return undefined;
  const [, plain, family = ""] = /^(.*?)(InOrganization)?$/.exec(name);
  if (plain === "deleteVideo" && error.code === "already_deleted") {
    const { answeredAt, detail } = error;
    return { status: "deleted", deletedAt: (answeredAt ?? new Date()).toISOString(), message: detail };
  }
  const question = ASKED_AFTER_LOSS[plain];
  if (question === undefined || error.code !== "not_found") return undefined;
  const ask = question.ask + family;
  const named = [...OPERATIONS[ask].path.matchAll(/\{(\w+)\}/g)].map(([, argument]) => argument);
  try {
    const state = await client[ask](Object.fromEntries(named.map((argument) => [argument, params[argument]])), options);
    return question.find(state, params);
  } catch (failed) {
    // The refusal says more, if only the state cannot be asked for.
    if (failed instanceof ApiError || failed instanceof UnreachableError) return undefined;
    throw failed;
  }
}
