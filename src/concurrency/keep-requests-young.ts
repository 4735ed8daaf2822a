import { setFlagsFromString } from 'node:v8'

/**
 * Tells V8 that no place of the code allocates what lives for long. Without this, a burst of
 * requests at the start of a process is enough: V8 sees that all of it outlives a collection, and
 * what later requests allocate at the same places is old from the start. V8 reads the option at
 * each collection, so it may change while a process runs.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
