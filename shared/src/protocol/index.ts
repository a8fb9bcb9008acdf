export { type AuthorityMessage, type Begin, type Join, parseAuthorityMessage } from './authority.js';
export {
  InputsCodec,
  type InputsHead,
  inputsHead,
  UpdateCodec,
  type UpdateHead,
  updateHead,
} from './authority-packets.js';
export { type ControlMessage, HASHES_MAX, type Hello, parseControl, type Welcome } from './control.js';
export {
  decodeFeedAck,
  decodeFeedHead,
  decodeFeedInputs,
  encodeFeed,
  encodeFeedAck,
  FEED_ACK_BYTES,
  type FeedHead,
  feedFramesMax,
  feedHead,
  feedWords,
} from './feed-packet.js';
export { CONTROL_CHARACTERS_MAX } from './messages.js';
export {
  decodeHead,
  decodeInputs,
  EPOCHS,
  encodePacket,
  isPacket,
  LEAD_MAX,
  PACKET_BYTES_MAX,
  PACKET_FRAMES_MAX,
  type PacketHead,
  packetFramesMax,
  packetHead,
  requirePacketFits,
  WIRE_VERSION,
} from './packet.js';
export { type PeerServerPass, parsePeerServerPass } from './peer-server-pass.js';
export { GAME_LENGTH_MAX, type ListedRoom, parseRoomList, ROOM_LIST_MAX, type RoomData } from './room-list.js';
export { parseSeatMessage, type SeatMessage, type SeatStep } from './seat-message.js';
export {
  decodeForwarded,
  decodeForwardedHead,
  decodeSeatNews,
  encodeForwarded,
  encodeSeatNews,
  type Forwarded,
  forwardedFramesMax,
  SEAT_NEWS_BYTES,
  type SeatNews,
} from './seat-news.js';
export {
  type ClientToServerEvents,
  type PeerLeftReason,
  type PeerSeat,
  type Place,
  parseReply,
  parseServerMessage,
  parseSignalingFailure,
  type Reply,
  type ReplyTo,
  type RoomClosedReason,
  type SeatGrant,
  type SeatRequest,
  type ServerEvent,
  type ServerMessage,
  type ServerToClientEvents,
  type SignalingErrorCode,
  type SignalingFailure,
} from './signaling.js';
export {
  CANDIDATE_BYTES_MAX,
  type IceServer,
  NAME_LENGTH_MAX,
  normalizeRoomCode,
  ROOM_CODE_ALPHABET,
  ROOM_CODE_LENGTH,
  ROOM_SIZE_MAX,
  SDP_BYTES_MAX,
  type SignalData,
  SPECTATORS_MAX,
  type TransportChoice,
  transportChoices,
} from './signaling-fields.js';
export {
  type ClientEvent,
  type ClientRequest,
  isClientEvent,
  type Parsed,
  parseClientRequest,
} from './signaling-requests.js';
export { parseWatchMessage } from './watch-message.js';
