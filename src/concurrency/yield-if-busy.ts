import { isEventLoopBusy, yieldToEventLoop } from './yield-to-event-loop.ts'

/**
 * Waits for a turn of the event loop where other works have taken this one: a hundred requests that
 * arrive together do not begin together.
 * @throws the reason of the signal where the client has left meanwhile
 */
export async function yieldIfBusy(caller?: Parameters<typeof yieldToEventLoop>[0]): Promise<void> {
  if (isEventLoopBusy()) await yieldToEventLoop(caller)
}
