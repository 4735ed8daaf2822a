/** Short texts that a store keeps with its data, for the processes that use it later. */
export interface StoreNotes {
  /** Has the data a place for them? Known once the store is open. */
  areKept(): boolean
  /** Undefined if nobody has written it. */
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
}
