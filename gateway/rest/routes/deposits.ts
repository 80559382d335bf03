import { z } from "zod";
import { type DepositBody, DepositDTO } from "../../../catapult/json/deposit.js";
import { pageSizes } from "../../../schema/graph/page.js";
import { path, query } from "../route/argument.js";
import { address, artifactId, boolean, depositId, order, pageSize } from "../route/argument-types.js";
import { rangeArguments } from "../route/export-range.js";
import { json, operationRoute, type Route } from "../route/route.js";

const DepositPage = z
  .object({
    data: z.array(DepositDTO).describe("Entries of the page."),
    pagination: z
      .object({
        pageSize: z.int().min(pageSizes.min).max(pageSizes.max).describe("Entries on a full page."),
        hasNextPage: z.boolean().describe("Whether more deposits follow the last one of the page."),
      })
      .describe("Size of the page, and whether it is the last one."),
  })
  .meta({ id: "DepositPage", description: "A page of an account's deposits." });

interface Found {
  readonly deposits: {
    readonly data: readonly { readonly body: DepositBody }[];
    readonly pageInfo: { readonly hasNextPage: boolean };
  };
}

export const depositRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/account/{address}/deposits",
      operationId: "searchDeposits",
      tag: "Accounts",
      summary:
        "Amounts that the account received by transfers of others, with aliases resolved, embedded transfers too.",
      arguments: {
        address: path(address, "Address of the account."),
        mosaicId: query(artifactId, "Only this mosaic."),
        final: query(boolean, "true: only those that no fork can take back any more."),
        ...rangeArguments,
        pageSize: query(pageSize, "Number of entries per page."),
        offset: query(depositId, "Id of a deposit: pages start after it, in the requested order."),
        order: query(order, "Sort direction: desc begins with the newest entry."),
      },
      result: DepositPage,
    },
    {
      operation: `query (
        $address: Address!, $mosaicId: ArtifactId, $final: Boolean, $fromHeight: SafeInt, $toHeight: SafeInt
        $fromTime: Time, $toTime: Time, $first: Int, $after: String, $order: Order
      ) {
        deposits(
          address: $address, mosaicId: $mosaicId, final: $final, fromHeight: $fromHeight, toHeight: $toHeight
          fromTime: $fromTime, toTime: $toTime, first: $first, after: $after, order: $order
        ) { data { body } pageInfo { hasNextPage } }
      }`,
      followsChain: true,
      variables: ({ pageSize: first, offset, order: wanted, ...values }, { defaultPageSize, defaultOrder }) => ({
        ...values,
        order: wanted ?? defaultOrder,
        first: first ?? defaultPageSize,
        after: offset,
      }),
      answer: ({ deposits: { data, pageInfo } }: Found, { pageSize: given }, _requested, { defaultPageSize }) =>
        json({
          data: data.map(({ body }) => body),
          pagination: { pageSize: given ?? defaultPageSize, hasNextPage: pageInfo.hasNextPage },
        }),
    },
  ),
];
