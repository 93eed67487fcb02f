"""The report's own words in two languages. Names of fields, keys and classes stay as they are."""

from __future__ import annotations

LANGUAGES = ("en", "zh")
_CHINESE = {
    "vLLM analysis": "vLLM 适配分析", "what it is": "架构摘要", "aspect": "方面", "answer": "结论", "says": "依据",
    "checkpoint": "权重目录", "architecture": "架构类", "decision": "结论", "why": "理由", "attention": "注意力",
    "experts": "专家混合 (MoE)", "rope": "旋转位置编码", "qk norm": "QK 归一化", "quantisation": "量化",
    "multimodal": "多模态", "prediction layers": "多 token 预测 (MTP)", "tied embeddings": "共享词嵌入",
    "longest sequence": "最大长度 (理论)", "none": "无", "yes": "是", "no": "否", "unknown": "未知",
    "registered": "已注册", "alias": "别名注册", "subclass": "继承已有模型", "new": "新增模型",
    "no modelling code needed": "无需编写模型代码", "an entry in the registry is enough": "只需一条注册",
    "keys": "权重键", "prefix": "前缀", "role": "用途", "count": "数量", "explained": "已解释", "unexplained": "未解释",
    "tensor parallel": "张量并行", "ranks": "卡数", "works": "可行", "key-value heads per rank": "每卡 KV 头",
    "replicas": "KV 副本", "remarks": "说明", "remote code": "远程代码 (仅列出, 未导入)",
    "places": "容易遗漏之处", "place": "位置", "state": "状态", "otherwise": "否则", "there": "已有", "missing": "缺失",
    "not in this checkout": "此版本没有", "portability": "可移植性警告", "class": "类", "kind": "类型", "means": "含义",
    "near misses": "相近名称", "findings": "发现的问题", "rule": "规则", "severity": "级别", "subject": "对象",
    "message": "说明 ", "next": "下一步", "error": "错误", "warning": "警告", "note": "提示", "file": "文件",
    "builds on": "基于", "served by": "由此类提供", "auto class": "Auto 类", "code": "代码", "pattern": "模式",
}


def word(text: str, language: str) -> str:
    """Return a word of the report in `en` or `zh`; one that is not in the list stays English."""
    return _CHINESE.get(text, text).strip() if language == "zh" else text
