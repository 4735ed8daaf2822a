import type {
  ClientUsage,
  RecordShare,
  RecordUsage,
  RequestRecords,
  RequestRecordWriter,
} from '../request-records.ts'

interface Reservation {
  readonly client: string
  readonly expiresAtMs: number
}

interface MemoryRecord extends Reservation {
  readonly result: string
  readonly bytes: number
}

/** The records of a store in memory. Transactions run one at a time, so nobody has to wait. */
export class MemoryRequestRecords implements RequestRecords {
  readonly #records = new Map<string, MemoryRecord>()

  areKept(): boolean {
    return true
  }

  async find(key: string, nowMs: number): Promise<string | undefined> {
    return this.#current(key, nowMs)
  }

  async usage(): Promise<RecordUsage> {
    let bytes = 0
    let firstExpiryMs: number | undefined
    for (const record of this.#records.values()) {
      bytes += record.bytes
      firstExpiryMs = Math.min(firstExpiryMs ?? record.expiresAtMs, record.expiresAtMs)
    }
    return { records: this.#records.size, bytes, firstExpiryMs }
  }

  async usageOf(client: string, share: RecordShare, nowMs: number): Promise<ClientUsage> {
    const latestFirst = [...this.#records.values()]
      .filter((record) => record.client === client && record.expiresAtMs > nowMs)
      .sort((one, other) => other.expiresAtMs - one.expiresAtMs)
    let [records, bytes] = [0, 0]
    for (const record of latestFirst) {
      records++
      bytes += record.bytes
      // What expires with this record or earlier has to go.
      if (records >= share.records || bytes >= share.bytes)
        return { records, bytes, fullUntilMs: record.expiresAtMs }
    }
    return { records, bytes, fullUntilMs: undefined }
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    let removed = 0
    for (const [key, { expiresAtMs }] of this.#records) {
      if (removed === limit) break
      if (expiresAtMs > nowMs) continue
      this.#records.delete(key)
      removed++
    }
    return removed
  }

  /** The records of one transaction. `commit` keeps them. */
  begin(check: () => void): { readonly writer: RequestRecordWriter; commit(): void } {
    const reserved = new Map<string, Reservation>()
    const written = new Map<string, MemoryRecord>()
    return {
      writer: {
        reserve: async (key, client, { nowMs, expiresAtMs }) => {
          check()
          const result = this.#current(key, nowMs)
          if (result === undefined) reserved.set(key, { client, expiresAtMs })
          return result
        },
        write: async (key, result) => {
          check()
          written.set(key, { ...reserved.get(key)!, result, bytes: Buffer.byteLength(result) })
        },
        release: async (key) => {
          check()
          written.delete(key)
        },
      },
      commit: () => {
        for (const [key, record] of written) this.#records.set(key, record)
      },
    }
  }

  #current(key: string, nowMs: number): string | undefined {
    const record = this.#records.get(key)
    return record && record.expiresAtMs > nowMs ? record.result : undefined
  }
}
