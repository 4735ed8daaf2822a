// Written by `resourcery client`; `--check` says whether it is what the service has now.
import type { FileInfo, Manifest, RelatedConditions } from 'resourcery/client'

export type TextFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
  contains?: string | undefined
  startsWith?: string | undefined
  endsWith?: string | undefined
  like?: string | undefined
  iequals?: string | undefined
  icontains?: string | undefined
  istartsWith?: string | undefined
}

export type DateFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
  contains?: string | undefined
  startsWith?: string | undefined
  endsWith?: string | undefined
  like?: string | undefined
  iequals?: string | undefined
  icontains?: string | undefined
  istartsWith?: string | undefined
}

export type TextsFilter = {
  any?: readonly string[] | undefined
  all?: readonly string[] | undefined
}

export interface AuthorConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
  born?: DateFilter | undefined
  bio?: TextFilter | undefined
  books?: TextsFilter | undefined
}

export type IntegerFilter = number | null | {
  eq?: number | undefined
  ne?: number | undefined
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
  in?: readonly number[] | undefined
  nin?: readonly number[] | undefined
  isNull?: boolean | undefined
}

export interface PublisherConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
  country?: TextFilter | undefined
  founded?: IntegerFilter | undefined
}

export type RelationFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
}

export interface GenreConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
  parent?: RelationFilter | undefined
  children?: TextsFilter | undefined
}

export type NumberFilter = number | null | {
  eq?: number | undefined
  ne?: number | undefined
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
  in?: readonly number[] | undefined
  nin?: readonly number[] | undefined
  isNull?: boolean | undefined
}

export type BooleanFilter = boolean | null | {
  eq?: boolean | undefined
  ne?: boolean | undefined
  gt?: boolean | undefined
  gte?: boolean | undefined
  lt?: boolean | undefined
  lte?: boolean | undefined
  in?: readonly boolean[] | undefined
  nin?: readonly boolean[] | undefined
  isNull?: boolean | undefined
}

export interface BookConditions {
  id?: TextFilter | undefined
  title?: TextFilter | undefined
  isbn?: TextFilter | undefined
  price?: NumberFilter | undefined
  inStock?: BooleanFilter | undefined
  stock?: IntegerFilter | undefined
  pages?: IntegerFilter | undefined
  publishedAt?: DateFilter | undefined
  tags?: TextsFilter | undefined
  'dimensions.width'?: NumberFilter | undefined
  'dimensions.height'?: NumberFilter | undefined
  'dimensions.depth'?: NumberFilter | undefined
  author?: RelationFilter | undefined
  publisher?: RelationFilter | undefined
  genres?: TextsFilter | undefined
}

export type DateTimeFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
  contains?: string | undefined
  startsWith?: string | undefined
  endsWith?: string | undefined
  like?: string | undefined
  iequals?: string | undefined
  icontains?: string | undefined
  istartsWith?: string | undefined
}

export interface ReviewConditions {
  id?: TextFilter | undefined
  rating?: IntegerFilter | undefined
  text?: TextFilter | undefined
  reviewer?: TextFilter | undefined
  book?: RelationFilter | undefined
  createdAt?: DateTimeFilter | undefined
}

/** An item of 'authors'. */
export interface Author {
  /** Identifies the item in its collection */
  id: string
  /** Full name as printed */
  name: string
  /** Date of birth */
  born?: string
  /** A few sentences about the author */
  bio?: string
  /** The books of the author */
  books?: string[]
  portrait: FileInfo | null
}

export interface AuthorCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  /** Full name as printed */
  name: string
  /** Date of birth */
  born?: string | undefined
  /** A few sentences about the author */
  bio?: string | undefined
  /** The books of the author */
  books?: string[] | undefined
}

export interface AuthorUpdate {
  /** Full name as printed */
  name?: string | undefined
  /** Date of birth */
  born?: string | null | undefined
  /** A few sentences about the author */
  bio?: string | null | undefined
  /** The books of the author */
  books?: string[] | undefined
}

export interface AuthorReplace {
  /** Full name as printed */
  name: string
  /** Date of birth */
  born?: string | undefined
  /** A few sentences about the author */
  bio?: string | undefined
  /** The books of the author */
  books?: string[] | undefined
}

export type AuthorFilter = AuthorConditions

export type AuthorSort = 'id' | '-id' | 'name' | '-name' | 'born' | '-born' | 'bio' | '-bio'

export type AuthorInclude = 'books' | 'books.author' | 'books.publisher' | 'books.genres' | 'books.author.books' | 'books.genres.parent' | 'books.genres.children' | 'books.author.books.author' | 'books.author.books.publisher' | 'books.author.books.genres' | 'books.genres.parent.parent' | 'books.genres.parent.children' | 'books.genres.children.parent' | 'books.genres.children.children'

/** An item of 'publishers'. */
export interface Publisher {
  /** Identifies the item in its collection */
  id: string
  /** Name of the house */
  name: string
  /** Country, as ISO 3166-1 alpha-2 */
  country?: string
  /** Year of foundation */
  founded?: number
}

export interface PublisherCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  /** Name of the house */
  name: string
  /** Country, as ISO 3166-1 alpha-2 */
  country?: string | undefined
  /** Year of foundation */
  founded?: number | undefined
}

export interface PublisherUpdate {
  /** Name of the house */
  name?: string | undefined
  /** Country, as ISO 3166-1 alpha-2 */
  country?: string | null | undefined
  /** Year of foundation */
  founded?: number | null | undefined
}

export interface PublisherReplace {
  /** Name of the house */
  name: string
  /** Country, as ISO 3166-1 alpha-2 */
  country?: string | undefined
  /** Year of foundation */
  founded?: number | undefined
}

export type PublisherFilter = PublisherConditions

export type PublisherSort = 'id' | '-id' | 'name' | '-name' | 'country' | '-country' | 'founded' | '-founded'

export type PublisherInclude = never

/** An item of 'genres'. */
export interface Genre {
  /** Identifies the item in its collection */
  id: string
  /** Name of the genre */
  name: string
  /** The wider genre */
  parent: string | null
  /** The narrower genres */
  children?: string[]
}

export interface GenreCreate {
  /** Chosen by the client */
  id: string
  /** Name of the genre */
  name: string
  /** The wider genre */
  parent?: string | null | undefined
  /** The narrower genres */
  children?: string[] | undefined
}

export interface GenreUpdate {
  /** Name of the genre */
  name?: string | undefined
  /** The wider genre */
  parent?: string | null | undefined
  /** The narrower genres */
  children?: string[] | undefined
}

export interface GenreReplace {
  /** Name of the genre */
  name: string
  /** The wider genre */
  parent?: string | null | undefined
  /** The narrower genres */
  children?: string[] | undefined
}

export type GenreFilter = GenreConditions & RelatedConditions<'parent', GenreConditions> & { readonly [path: `parent.${string}.${string}`]: unknown }

export type GenreSort = 'id' | '-id' | 'name' | '-name' | 'parent.id' | '-parent.id' | 'parent.name' | '-parent.name' | 'parent.parent.id' | '-parent.parent.id' | 'parent.parent.name' | '-parent.parent.name' | 'parent.parent.parent.id' | '-parent.parent.parent.id' | 'parent.parent.parent.name' | '-parent.parent.parent.name' | 'parent.parent.parent.parent.id' | '-parent.parent.parent.parent.id' | 'parent.parent.parent.parent.name' | '-parent.parent.parent.parent.name' | `${'' | '-'}parent.${string}`

export type GenreInclude = 'parent' | 'children' | 'parent.parent' | 'parent.children' | 'children.parent' | 'children.children' | 'parent.parent.parent' | 'parent.parent.children' | 'parent.children.parent' | 'parent.children.children' | 'children.parent.parent' | 'children.parent.children' | 'children.children.parent' | 'children.children.children' | `parent.${string}` | `children.${string}`

/** An item of 'books'. */
export interface Book {
  /** Identifies the item in its collection */
  id: string
  /** Title as printed */
  title: string
  /** ISBN of the edition on sale */
  isbn?: string
  /** Price in euros */
  price: number
  /** Can it be sent at once? */
  inStock: boolean
  /** Copies on the shelf */
  stock: number
  /** Number of pages */
  pages?: number
  /** First published */
  publishedAt?: string
  /** Free words */
  tags: string[]
  dimensions?: {
    /** Millimetres */
    width: number
    /** Millimetres */
    height: number
    /** Millimetres */
    depth: number
  }
  /** Editions known to the shop */
  editions: ({
    format: 'hardcover' | 'paperback' | 'ebook' | 'audiobook'
    year: number
    isbn?: string
  })[]
  /** Who wrote it */
  author: string
  /** Who published it first */
  publisher: string | null
  /** Where it stands in the shop */
  genres: string[]
  cover: FileInfo | null
  sample: FileInfo | null
}

export interface BookCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  /** Title as printed */
  title: string
  /** ISBN of the edition on sale */
  isbn?: string | undefined
  /** Price in euros */
  price: number
  /** Can it be sent at once? */
  inStock?: boolean | undefined
  /** Copies on the shelf */
  stock?: number | undefined
  /** Number of pages */
  pages?: number | undefined
  /** First published */
  publishedAt?: string | undefined
  /** Free words */
  tags?: string[] | undefined
  dimensions?: {
    /** Millimetres */
    width: number
    /** Millimetres */
    height: number
    /** Millimetres */
    depth: number
  } | undefined
  /** Editions known to the shop */
  editions?: ({
    format: 'hardcover' | 'paperback' | 'ebook' | 'audiobook'
    year: number
    isbn?: string | undefined
  })[] | undefined
  /** Who wrote it */
  author: string
  /** Who published it first */
  publisher?: string | null | undefined
  /** Where it stands in the shop */
  genres?: string[] | undefined
}

export interface BookUpdate {
  /** Title as printed */
  title?: string | undefined
  /** ISBN of the edition on sale */
  isbn?: string | null | undefined
  /** Price in euros */
  price?: number | undefined
  /** Can it be sent at once? */
  inStock?: boolean | null | undefined
  /** Copies on the shelf */
  stock?: number | null | undefined
  /** Number of pages */
  pages?: number | null | undefined
  /** First published */
  publishedAt?: string | null | undefined
  /** Free words */
  tags?: string[] | null | undefined
  dimensions?: {
    /** Millimetres */
    width?: number | undefined
    /** Millimetres */
    height?: number | undefined
    /** Millimetres */
    depth?: number | undefined
  } | null | undefined
  /** Editions known to the shop */
  editions?: ({
    format: 'hardcover' | 'paperback' | 'ebook' | 'audiobook'
    year: number
    isbn?: string | undefined
  })[] | null | undefined
  /** Who wrote it */
  author?: string | undefined
  /** Who published it first */
  publisher?: string | null | undefined
  /** Where it stands in the shop */
  genres?: string[] | undefined
}

export interface BookReplace {
  /** Title as printed */
  title: string
  /** ISBN of the edition on sale */
  isbn?: string | undefined
  /** Price in euros */
  price: number
  /** Can it be sent at once? */
  inStock?: boolean | undefined
  /** Copies on the shelf */
  stock?: number | undefined
  /** Number of pages */
  pages?: number | undefined
  /** First published */
  publishedAt?: string | undefined
  /** Free words */
  tags?: string[] | undefined
  dimensions?: {
    /** Millimetres */
    width: number
    /** Millimetres */
    height: number
    /** Millimetres */
    depth: number
  } | undefined
  /** Editions known to the shop */
  editions?: ({
    format: 'hardcover' | 'paperback' | 'ebook' | 'audiobook'
    year: number
    isbn?: string | undefined
  })[] | undefined
  /** Who wrote it */
  author: string
  /** Who published it first */
  publisher?: string | null | undefined
  /** Where it stands in the shop */
  genres?: string[] | undefined
}

export type BookFilter = BookConditions & RelatedConditions<'author', AuthorConditions> & RelatedConditions<'publisher', PublisherConditions>

export type BookSort = 'id' | '-id' | 'title' | '-title' | 'isbn' | '-isbn' | 'price' | '-price' | 'inStock' | '-inStock' | 'stock' | '-stock' | 'pages' | '-pages' | 'publishedAt' | '-publishedAt' | 'dimensions.width' | '-dimensions.width' | 'dimensions.height' | '-dimensions.height' | 'dimensions.depth' | '-dimensions.depth' | 'author.id' | '-author.id' | 'author.name' | '-author.name' | 'author.born' | '-author.born' | 'author.bio' | '-author.bio' | 'publisher.id' | '-publisher.id' | 'publisher.name' | '-publisher.name' | 'publisher.country' | '-publisher.country' | 'publisher.founded' | '-publisher.founded' | '-relevance' | 'relevance'

export type BookInclude = 'author' | 'publisher' | 'genres' | 'author.books' | 'genres.parent' | 'genres.children' | 'author.books.author' | 'author.books.publisher' | 'author.books.genres' | 'genres.parent.parent' | 'genres.parent.children' | 'genres.children.parent' | 'genres.children.children' | `author.${string}` | `genres.${string}`

export type BookDiscountInput = {
  /** How much is taken off */
  percent: number
}

export type BookReserveInput = {
  /** How many copies */
  quantity: number
}

export type BookReserveOutput = {
  /** How many copies */
  reserved: number
  /** Copies that are left */
  stock: number
}

export type BookRestockInput = {
  /** Copies that arrived */
  amount: number
}

export type BookRestockOutput = {
  /** Copies on the shelf now */
  stock: number
}

export interface BookSums {
  count: number
  'sum(price)': number | string
  'avg(price)': number | null
  'min(price)': number | string | null
  'max(price)': number | string | null
  'countDistinct(price)': number
  'countDistinct(inStock)': number
  'min(publishedAt)': string | null
  'max(publishedAt)': string | null
  'countDistinct(publishedAt)': number
  'countDistinct(author)': number
  'countDistinct(publisher)': number
}

export interface BookFacets {
  price: ({
    value: number | string | null
    count: number
  })[]
  inStock: ({
    value: boolean | null
    count: number
  })[]
  publishedAt: ({
    value: string | null
    count: number
  })[]
  tags: ({
    value: string | null
    count: number
  })[]
  author: ({
    value: string | null
    count: number
  })[]
  publisher: ({
    value: string | null
    count: number
  })[]
  genres: ({
    value: string | null
    count: number
  })[]
}

export interface BookGroupValues {
  price: number | string | null
  inStock: boolean | null
  publishedAt: string | null
  'year(publishedAt)': string | null
  'quarter(publishedAt)': string | null
  'month(publishedAt)': string | null
  'week(publishedAt)': string | null
  'day(publishedAt)': string | null
  tags: string | null
  author: string | null
  publisher: string | null
  genres: string | null
}

/** An item of 'reviews'. */
export interface Review {
  /** Identifies the item in its collection */
  id: string
  /** Stars */
  rating: number
  /** What the reviewer says */
  text?: string
  /** Name to show */
  reviewer: string
  /** When it was written */
  createdAt: string
  /** What is reviewed */
  book: string
}

export interface ReviewCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  /** Stars */
  rating: number
  /** What the reviewer says */
  text?: string | undefined
  /** Name to show */
  reviewer: string
  /** For questions; never shown */
  email?: string | undefined
  /** What is reviewed */
  book: string
}

export interface ReviewUpdate {
  /** Stars */
  rating?: number | undefined
  /** What the reviewer says */
  text?: string | null | undefined
  /** Name to show */
  reviewer?: string | undefined
  /** For questions; never shown */
  email?: string | null | undefined
  /** What is reviewed */
  book?: string | undefined
}

export interface ReviewReplace {
  /** Stars */
  rating: number
  /** What the reviewer says */
  text?: string | undefined
  /** Name to show */
  reviewer: string
  /** For questions; never shown */
  email?: string | undefined
  /** What is reviewed */
  book: string
}

export type ReviewFilter = ReviewConditions & RelatedConditions<'book', BookConditions> & { readonly [path: `book.${string}.${string}`]: unknown }

export type ReviewSort = 'id' | '-id' | 'rating' | '-rating' | 'text' | '-text' | 'reviewer' | '-reviewer' | 'book.id' | '-book.id' | 'book.title' | '-book.title' | 'book.isbn' | '-book.isbn' | 'book.price' | '-book.price' | 'book.inStock' | '-book.inStock' | 'book.stock' | '-book.stock' | 'book.pages' | '-book.pages' | 'book.publishedAt' | '-book.publishedAt' | 'book.dimensions.width' | '-book.dimensions.width' | 'book.dimensions.height' | '-book.dimensions.height' | 'book.dimensions.depth' | '-book.dimensions.depth' | 'book.author.id' | '-book.author.id' | 'book.author.name' | '-book.author.name' | 'book.author.born' | '-book.author.born' | 'book.author.bio' | '-book.author.bio' | 'book.publisher.id' | '-book.publisher.id' | 'book.publisher.name' | '-book.publisher.name' | 'book.publisher.country' | '-book.publisher.country' | 'book.publisher.founded' | '-book.publisher.founded' | 'createdAt' | '-createdAt'

export type ReviewInclude = 'book' | 'book.author' | 'book.publisher' | 'book.genres' | 'book.author.books' | 'book.genres.parent' | 'book.genres.children' | 'book.author.books.author' | 'book.author.books.publisher' | 'book.author.books.genres' | 'book.genres.parent.parent' | 'book.genres.parent.children' | 'book.genres.children.parent' | 'book.genres.children.children'

/** The models of the service, as types. */
export type Api = {
  readonly authors: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'upload' | 'deleteFile' | 'download' | 'relations'
    readonly item: Author
    readonly create: AuthorCreate
    readonly update: AuthorUpdate
    readonly replace: AuthorReplace
    readonly filter: AuthorFilter
    readonly sort: AuthorSort
    readonly include: AuthorInclude
    readonly relations: {
      readonly books: { readonly many: 'books' }
    }
    readonly actions: Record<never, never>
    readonly files: 'portrait'
    readonly downloads: 'portrait'
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly publishers: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated'
    readonly item: Publisher
    readonly create: PublisherCreate
    readonly update: PublisherUpdate
    readonly replace: PublisherReplace
    readonly filter: PublisherFilter
    readonly sort: PublisherSort
    readonly include: PublisherInclude
    readonly relations: Record<never, never>
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly genres: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'relations'
    readonly item: Genre
    readonly create: GenreCreate
    readonly update: GenreUpdate
    readonly replace: GenreReplace
    readonly filter: GenreFilter
    readonly sort: GenreSort
    readonly include: GenreInclude
    readonly relations: {
      readonly parent: { readonly one: 'genres'; readonly isOptional: true }
      readonly children: { readonly many: 'genres' }
    }
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly books: {
    readonly calls: 'list' | 'stream' | 'groups' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'upload' | 'deleteFile' | 'download' | 'actions' | 'relations'
    readonly item: Book
    readonly create: BookCreate
    readonly update: BookUpdate
    readonly replace: BookReplace
    readonly filter: BookFilter
    readonly sort: BookSort
    readonly include: BookInclude
    readonly relations: {
      readonly author: { readonly one: 'authors' }
      readonly publisher: { readonly one: 'publishers'; readonly isOptional: true }
      readonly genres: { readonly many: 'genres' }
    }
    readonly actions: {
      readonly discount: {
        readonly input: BookDiscountInput
      }
      readonly reserve: {
        readonly input: BookReserveInput
        readonly output: BookReserveOutput
      }
      readonly restock: {
        readonly input: BookRestockInput
        readonly output: BookRestockOutput
      }
    }
    readonly files: 'cover' | 'sample'
    readonly downloads: 'cover' | 'cover/avif/1024' | 'cover/avif/128' | 'cover/avif/256' | 'cover/avif/512' | 'cover/avif/64' | 'cover/jpeg/1024' | 'cover/jpeg/128' | 'cover/jpeg/256' | 'cover/jpeg/512' | 'cover/jpeg/64' | 'cover/png/1024' | 'cover/png/128' | 'cover/png/256' | 'cover/png/512' | 'cover/png/64' | 'cover/webp/1024' | 'cover/webp/128' | 'cover/webp/256' | 'cover/webp/512' | 'cover/webp/64' | 'sample'
    readonly search: string
    readonly aggregates: BookSums
    readonly facets: BookFacets
    readonly groups: BookGroupValues
  }
  readonly reviews: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'relations'
    readonly item: Review
    readonly create: ReviewCreate
    readonly update: ReviewUpdate
    readonly replace: ReviewReplace
    readonly filter: ReviewFilter
    readonly sort: ReviewSort
    readonly include: ReviewInclude
    readonly relations: {
      readonly book: { readonly one: 'books' }
    }
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
}

/** What the client has to know when it runs. */
export const manifest: Manifest<Api> = {
  policy: 'json-api',
  repeatsWrites: true,
  models: {
    authors: { name: 'authors', relations: { books: { model: 'books', isMany: true, inverse: 'author' } } },
    publishers: { name: 'publishers' },
    genres: { name: 'genres', relations: { parent: { model: 'genres' }, children: { model: 'genres', isMany: true, inverse: 'parent' } } },
    books: { name: 'books', relations: { author: { model: 'authors' }, publisher: { model: 'publishers' }, genres: { model: 'genres', isMany: true } }, actions: { discount: { segment: 'discount' }, reserve: { segment: 'reserve', hasOutput: true }, restock: { segment: 'restock', hasOutput: true } } },
    reviews: { name: 'reviews', relations: { book: { model: 'books' } } },
  },
}
