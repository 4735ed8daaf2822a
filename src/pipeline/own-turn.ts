import { fairTurn, isTurnOver } from '../store/fair-turn.ts'

/**
 * Waits for a turn of the event loop where other works have taken this one: a hundred requests that arrive together do not begin together.
 * @throws the reason of the signal where the client has left meanwhile
 */
export async function ownTurn(caller?: Parameters<typeof fairTurn>[0]): Promise<void> {
  if (isTurnOver()) await fairTurn(caller)
}
