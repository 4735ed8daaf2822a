/**
 * What a program saw that made a book, listed it and set its cover: as much as every generator can
 * do.
 */
export interface DressedBook {
  readonly created: { readonly title: string; readonly inStock: boolean }
  readonly listed: readonly { readonly id: string; readonly price: number }[]
  readonly id: string
  readonly uploaded: { readonly contentType: string; readonly size: number }
}

export type DressingProgram = (baseUrl: string, cover: File) => Promise<DressedBook>

/**
 * The filter of the list: these generators write objects in queries as `[object Object]`, so that
 * it is an expression.
 */
export const ofTheAuthor = "and(eq(author,'emily-bronte'),lte(price,8))"
