import type { RequestRecords, RequestRecordWriter } from '../request-records.ts'

interface MemoryRecord {
  readonly result: string
  readonly expiresAtMs: number
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

  async count(): Promise<number> {
    return this.#records.size
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
    const reserved = new Map<string, number>()
    const written = new Map<string, MemoryRecord>()
    return {
      writer: {
        reserve: async (key, { nowMs, expiresAtMs }) => {
          check()
          const result = this.#current(key, nowMs)
          if (result === undefined) reserved.set(key, expiresAtMs)
          return result
        },
        write: async (key, result) => {
          check()
          written.set(key, { result, expiresAtMs: reserved.get(key)! })
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
