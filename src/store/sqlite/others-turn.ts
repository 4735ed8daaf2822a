import { fairTurn } from '../fair-turn.ts'
import type { Caller } from '../store.ts'

/** Lets other requests have a turn of the event loop. @throws the reason of the caller's signal where it has left */
export async function othersTurn(caller: Caller | undefined): Promise<void> {
  await fairTurn()
  caller?.signal.throwIfAborted()
}
