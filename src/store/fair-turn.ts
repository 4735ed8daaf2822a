import { performance } from 'node:perf_hooks'

/** How long works that cost much may go on in one turn of the event loop, all of them together, in ms. */
const longestTurnMs = 5

const waiting: (() => void)[] = []
let began: number | undefined

/**
 * Goes on in a later turn of the event loop. All works that cost much wait in one row, and each turn lets as many of them go on as its time allows: a
 * hundred lists that are sent at once keep other requests from being answered no longer than one does.
 * @param caller who waits for the work, where anybody does
 * @throws the reason of the signal where the caller has left meanwhile
 */
export async function fairTurn(caller?: { readonly signal?: AbortSignal | undefined }): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })
  caller?.signal?.throwIfAborted()
}

/** Have works that cost much already taken the time of this turn of the event loop? Asked before one begins. */
export function isTurnOver(): boolean {
  if (began === undefined) {
    beginTurn()
    return false
  }
  return hasEnded()
}

function goOn(): void {
  beginTurn()
  letNextGoOn()
}

function letNextGoOn(): void {
  const next = waiting.shift()
  next?.()
  // What the work does at once is done before the ticks that come after its microtasks.
  if (waiting.length > 0) queueMicrotask(() => process.nextTick(afterOne))
}

function afterOne(): void {
  if (waiting.length === 0) return
  if (hasEnded()) setImmediate(goOn)
  else letNextGoOn()
}

function beginTurn(): void {
  if (began === undefined) setImmediate(endTurn)
  began = performance.now()
}

function endTurn(): void {
  began = undefined
}

function hasEnded(): boolean {
  return began !== undefined && performance.now() - began > longestTurnMs
}
