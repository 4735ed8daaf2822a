/**
 * Code of the service kept a transaction waiting for too long, so that it was undone. The response
 * is a 503 with `Retry-After`.
 */
export class HookTimeout extends Error {
  override readonly name = 'HookTimeout'

  constructor(timeoutMs: number) {
    super(
      `A hook, an action or a function in a transaction did nothing with items for ${timeoutMs} ms. The transaction is undone; what takes long belongs before it or after the commit.`,
    )
  }
}

/** A hook after a commit took too long. The change stays, and nobody waits for the hook. */
export class CommitHookTimeout extends Error {
  override readonly name = 'CommitHookTimeout'

  constructor(timeoutMs: number) {
    super(
      `A hook 'afterCommit' took longer than ${timeoutMs} ms. The change is committed; the hooks that follow run without waiting for this one.`,
    )
  }
}
