import { performance } from 'node:perf_hooks'
import { schemaFingerprint } from '../../stored-item/migrate-item.ts'
import { StoreUnavailable } from '../store.ts'
import type { Connection } from './connection.ts'
import type { TableLayout } from './layout.ts'

/**
 * Holds the form of the items in the file (`renew-items.ts`) against the one that the models of
 * this process have. Another process may have migrated the file to other models since: what this
 * one wrote would then stand in a form that the other does not expect, so that it would show what
 * it hides.
 */
export interface FileFingerprints {
  /** From now on the file is to have these. Returns what takes it back. */
  expect(layouts: readonly TableLayout[]): () => void
  /** What keeps this process from using the file: another one has migrated it. */
  migrationError(): StoreUnavailable | undefined
}

/** A process that is being replaced has gone by then, as a rule. */
const retryAfterSeconds = 5

/**
 * Seen through one connection. Inside a transaction that writes, nobody can migrate the file
 * between the check and the write.
 * @param lagMs how late the check may be, where many ask
 */
export function fileFingerprints(connection: Connection, lagMs: number): FileFingerprints {
  let expected: ReadonlyMap<string, string> = new Map()
  let seen: unknown
  let last = Number.NEGATIVE_INFINITY
  const set = (forms: ReadonlyMap<string, string>): void => {
    expected = forms
    seen = undefined
    last = Number.NEGATIVE_INFINITY
  }
  return {
    expect(layouts) {
      const before = expected
      set(
        new Map([
          ...before,
          ...layouts.map(({ model }) => [model.plural, schemaFingerprint(model)] as const),
        ]),
      )
      return () => set(before)
    },
    migrationError() {
      if (lagMs > 0) {
        const now = performance.now()
        if (now - last < lagMs) return undefined
        last = now
      }
      // The forms are compared only where another connection has written since the last time, which
      // this says at little cost.
      const version = connection.prepare('pragma data_version').get([])?.[0]
      if (version === seen) return undefined
      for (const [plural, form] of expected) {
        if (fingerprintInFile(connection, plural) === form) continue
        last = Number.NEGATIVE_INFINITY
        return fileWasMigrated(plural)
      }
      seen = version
      return undefined
    },
  }
}

/** The form of the items that the file holds of a model; undefined where it holds none yet. */
export function fingerprintInFile(connection: Connection, plural: string): unknown {
  return connection
    .prepare('select value from "_layout" where key = ?')
    .get([fingerprintKey(plural)])?.[0]
}

export function fingerprintKey(plural: string): string {
  return `form of ${plural}`
}

function fileWasMigrated(plural: string): StoreUnavailable {
  return new StoreUnavailable(
    `Another process has migrated the '${plural}' in the SQLite file to another form of their model, so this process must not use the file any more: end it, or start it again.`,
    { retryAfterSeconds },
  )
}
