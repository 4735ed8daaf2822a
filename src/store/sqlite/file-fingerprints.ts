import { performance } from 'node:perf_hooks'
import { membersInFingerprint, schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { TableLayout } from '../sql/layout.ts'
import { OutdatedProcess } from '../store-failures.ts'
import type { Connection } from './connection.ts'
import { noteInFile, noteKeysAfter, writeNote } from './file-notes.ts'
import { toStoreError } from './sqlite-error.ts'

/**
 * Compares the schema fingerprints in the file (`migrate-items.ts`) with those of this process.
 * Another process may have migrated the file to other models since. Items that this process writes
 * would then have a form that the other does not expect, and could expose hidden fields.
 */
export interface FileFingerprints {
  /** Expects the fingerprints of these models from now on. Returns a function that undoes this. */
  expect(layouts: readonly TableLayout[]): () => void
  /**
   * The error of requests once another process has migrated the file, or while that cannot be
   * checked.
   */
  migrationError(): unknown
  /** Checks again at the next call of `migrationError`. */
  invalidate(): void
}

/** By then a process that is being replaced has usually stopped. */
const retryAfterSeconds = 5

/**
 * Checks over one connection. Inside a write transaction no other process can migrate the file, so
 * one check at its beginning is enough.
 * @param lagMs how old a check may be; Infinity where only `invalidate` says so
 */
export function fileFingerprints(connection: Connection, lagMs: number): FileFingerprints {
  let expected: ReadonlyMap<string, string> = new Map()
  let checkedVersion: unknown
  let checkedAt = Number.NEGATIVE_INFINITY
  const set = (fingerprints: ReadonlyMap<string, string>): void => {
    expected = fingerprints
    checkedVersion = undefined
    checkedAt = Number.NEGATIVE_INFINITY
  }
  return {
    expect(layouts) {
      const previous = expected
      set(
        new Map([
          ...previous,
          ...layouts.map((layout) => [layout.model.plural, layoutFingerprint(layout)] as const),
        ]),
      )
      return () => set(previous)
    },
    invalidate() {
      checkedAt = Number.NEGATIVE_INFINITY
    },
    migrationError() {
      const now = performance.now()
      if (now - checkedAt < lagMs) return undefined
      // A check that fails is made again by the next call.
      checkedAt = Number.NEGATIVE_INFINITY
      try {
        // The fingerprints are compared only after a write of another connection, which
        // `data_version` tells at little cost.
        const version = connection.prepare('pragma data_version').get([])?.[0]
        if (version !== checkedVersion)
          for (const [plural, fingerprint] of expected)
            if (fingerprintInFile(connection, plural) !== fingerprint)
              return fileWasMigrated(plural)
        checkedVersion = version
      } catch (error) {
        return toStoreError(error)
      }
      checkedAt = now
      return undefined
    },
  }
}

/**
 * The names of the columns tell the types of the fields: a model with another type sets other
 * columns, and leaves these with values of before.
 */
export function layoutFingerprint({ model, columns }: TableLayout): string {
  const names = columns.map(({ name }) => name).sort()
  return `${schemaFingerprint(model)} ${names.join(' ')}`
}

/** The fingerprint that the file has for a model; undefined where the model is new. */
export function fingerprintInFile(connection: Connection, plural: string): unknown {
  return noteInFile(connection, fingerprintKey(plural))
}

/** What the items of a model have in the file. */
export interface StoredForm {
  /** The entries of the schema fingerprint. */
  readonly members: ReadonlySet<string>
  /** The names of the columns that writes have set. */
  readonly columns: ReadonlySet<string>
}

/** The form of the items in the file, without members where the model is new. */
export function formInFile(connection: Connection, plural: string): StoredForm {
  const fingerprint = String(fingerprintInFile(connection, plural) ?? '[]')
  const end = fingerprint.lastIndexOf(']') + 1
  return {
    members: new Set(JSON.parse(fingerprint.slice(0, end)) as string[]),
    columns: new Set(fingerprint.slice(end + 1).split(' ')),
  }
}

export function writeForm(
  connection: Connection,
  plural: string,
  { members, columns }: StoredForm,
): void {
  const fingerprint = `${JSON.stringify([...members].sort())} ${[...columns].sort().join(' ')}`
  writeNote(connection, fingerprintKey(plural), fingerprint)
}

/** The names of the members that the items of a model have in the file. */
export function membersInFile(connection: Connection, plural: string): ReadonlySet<string> {
  return membersInFingerprint(formInFile(connection, plural).members)
}

/** The plurals of the models whose items the file has, also of those that are not declared. */
export function pluralsInFile(connection: Connection): readonly string[] {
  return noteKeysAfter(connection, fingerprintKey(''))
}

export function fingerprintKey(plural: string): string {
  return `form of ${plural}`
}

function fileWasMigrated(plural: string): OutdatedProcess {
  return new OutdatedProcess(
    `Another process has migrated the '${plural}' in the SQLite file to a different version of their model. This process must stop using the file: shut it down or restart it.`,
    { retryAfterSeconds },
  )
}
